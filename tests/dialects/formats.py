# SPDX-License-Identifier: BSD-2-Clause
"""What the formats that ibcheck reads look like, of a fabric in a snapshot.

A file is a Doc: parts that stand together (the block of a node, a section, a table of a switch),
each with lines in front of its rows and behind them.  A row is a line, or a list of cells where the
part has columns.
"""
import json
import struct
import subprocess
from collections import deque

CA, SWITCH = 1, 2
WIDTHS = {1: '1x', 2: '4x', 4: '8x', 8: '12x', 16: '2x'}
SPEEDS = {1: ('SDR', '2.5'), 2: ('DDR', '5.0'), 4: ('QDR', '10.0'), 16: ('FDR', '14.0625'),
          32: ('EDR', '25.78125'), 64: ('HDR', '53.125'), 128: ('NDR', '106.25')}


class Part:
    def __init__(self, head=(), rows=(), tail=(), columns=None):
        self.head, self.rows, self.tail = list(head), list(rows), list(tail)
        self.columns = columns


class Doc:
    """@command: what prints it; None: it is no output.  @separator, @quote_all: of cells"""

    def __init__(self, head=(), parts=(), tail=(), command=None, plain=False):
        self.head, self.parts, self.tail = list(head), list(parts), list(tail)
        self.command, self.plain = command, plain
        self.separator, self.quote_all = ',', False

    def cells(self, cells):
        """A row as a line; plain: quotation marks are those of the cells."""
        must = self.separator + '"\n'
        return self.separator.join(
            c if self.plain or not (self.quote_all or set(c) & set(must))
            else '"%s"' % c.replace('"', '""') for c in cells)

    def text(self, part):
        rows = list(part.rows) if part.columns is None else [part.columns] + part.rows
        return part.head + [r if isinstance(r, str) else self.cells(r) for r in rows] + part.tail

    def lines(self):
        return self.head + [line for part in self.parts for line in self.text(part)] + self.tail


class Node:
    def __init__(self, number, row):
        self.number, self.desc, self.type = number, row['desc'], row['type']
        self.guid, self.num_ports = int(row['guid'], 16), row['num_ports']
        self.row = row
        self.ports = {p['num']: p for p in row['ports']}
        self.letter = 'S' if self.type == SWITCH else 'H'
        self.id = '"%s-%016x"' % (self.letter, self.guid)

    def lid(self, num):
        return self.ports.get(0 if self.type == SWITCH else num, {}).get('lid', 0)

    def port_guid(self, num):
        return int(self.ports.get(0 if self.type == SWITCH else num, {}).get('guid', '0x0'), 16)

    def cabled(self):
        return [n for n in sorted(self.ports) if 'peer' in self.ports[n]]


class Fabric:
    def __init__(self, snapshot):
        with open(snapshot, encoding='utf-8') as f:
            rows = [json.loads(line) for line in f]
        self.nodes = [Node(i, r) for i, r in enumerate(r for r in rows if 'guid' in r)]
        top = max(n.lid(p) for n in self.nodes for p in n.ports)
        for node in self.nodes:
            for num in [0] if node.type == SWITCH else node.cabled():
                if not node.lid(num):
                    top += 1
                    node.ports[num]['lid'] = top
        self.switches = [n for n in self.nodes if n.type == SWITCH]

    def peer(self, node, num):
        other, port = node.ports[num]['peer']
        return self.nodes[other], port

    def cables(self):
        for node in self.nodes:
            for num in node.cabled():
                peer, port = self.peer(node, num)
                if (node.number, num) < (peer.number, port):
                    yield node, num, peer, port

    def lfts(self):
        """Of each switch the port to each LID, by fewest hops; and what has it."""
        tables = {s.number: {s.lid(0): 0} for s in self.switches}
        targets = [(s, s.lid(0)) for s in self.switches]
        for ca in self.nodes:
            targets += [(ca, ca.lid(num)) for num in ca.cabled() if ca.type != SWITCH]
        for target, lid in targets:
            queue, seen = deque([target]), {target.number}
            while queue:
                node = queue.popleft()
                for num in node.cabled():
                    if node is target and node.type != SWITCH and node.lid(num) != lid:
                        continue
                    peer, port = self.peer(node, num)
                    if peer.type == SWITCH and peer.number not in seen:
                        seen.add(peer.number)
                        tables[peer.number][lid] = port
                        queue.append(peer)
        return tables, {lid: target for target, lid in targets}


def rate(port):
    return (WIDTHS.get(port.get('width_active', 0), '??'),
            SPEEDS.get(port.get('speed_active', 0), ('???', ''))[0])


# ---- infiniband-diags ----------------------------------------------------------------------


def netdiscover(fabric, label=lambda num: ''):
    doc = Doc(['#', '# Topology file: generated on Thu Jan 29 12:00:00 2026', '#',
               '# Initiated from node %016x port %016x' % (fabric.nodes[-1].guid,
                                                           fabric.nodes[-1].port_guid(1)), ''],
              command='ibnetdiscover')
    for node in sorted(fabric.nodes, key=lambda n: n.type != SWITCH):
        kind, guid_word = ('Switch', 'switchguid') if node.type == SWITCH else ('Ca', 'caguid')
        guid = '%s=0x%x' % (guid_word, node.guid)
        head = ['vendid=0x%x' % node.row.get('vendor_id', 0),
                'devid=0x%x' % node.row.get('device_id', 0),
                'sysimgguid=0x%x' % int(node.row.get('system_guid', node.row['guid']), 16)]
        if node.type == SWITCH:
            head += ['%s(%x)' % (guid, node.port_guid(0)),
                     '%s\t%d %s\t\t# "%s" base port 0 lid %d lmc 0' % (
                         kind, node.num_ports, node.id, node.desc, node.lid(0))]
        else:
            head += [guid, '%s\t%d %s\t\t# "%s"' % (kind, node.num_ports, node.id, node.desc)]
        part = Part(head, tail=[''])
        for num in node.cabled():
            peer, port = fabric.peer(node, num)
            own = '' if node.type == SWITCH else '(%x) ' % node.port_guid(num)
            far = '' if peer.type == SWITCH else '(%x) ' % peer.port_guid(port)
            lid = '' if node.type == SWITCH else 'lid %d lmc 0 ' % node.lid(num)
            part.rows.append('[%d]%s%s\t%s[%d]%s\t\t# %s"%s" lid %d %s%s' % (
                (num, label(num), own, peer.id, port, far, lid, peer.desc, peer.lid(port)) +
                rate(node.ports[num])))
        doc.parts.append(part)
    return doc


def ibdiagnet(fabric):
    """As ibdiagnet writes it: with the label on the cage in front of the port's GUID."""
    doc = netdiscover(fabric, lambda num: '(%d)' % num)
    doc.command = None
    doc.head = ['# This file was automatically generated by ibdiagnet', '']
    return doc


def portlist(fabric):
    doc = Doc(command='ibnetdiscover -p', parts=[Part()])
    for node in sorted(fabric.nodes, key=lambda n: n.type != SWITCH):
        for num in range(1, node.num_ports + 1):
            start = '%s %5d %2d 0x%016x' % ('SW' if node.type == SWITCH else 'CA', node.lid(num), num,
                                            node.port_guid(num))
            if num in node.cabled():
                peer, port = fabric.peer(node, num)
                doc.parts[0].rows.append("%s %s %s - %s %5d %2d 0x%016x ( '%s' - '%s' )" % (
                    (start,) + rate(node.ports[num]) +
                    ('SW' if peer.type == SWITCH else 'CA', peer.lid(port), port,
                     peer.port_guid(port), node.desc, peer.desc)))
            elif node.lid(num):
                doc.parts[0].rows.append("%s ?? ??? %36s'%s'" % (start, '', node.desc))
    return doc


def linkinfo(fabric):
    doc = Doc(command='iblinkinfo')
    for node in sorted(fabric.nodes, key=lambda n: n.type == SWITCH):
        is_switch = node.type == SWITCH
        part = Part(['Switch: 0x%016x %s:' % (node.guid, node.desc) if is_switch
                     else 'CA: %s:' % node.desc])
        for num in range(1, node.num_ports + 1):
            start = '%s %6d %4d[  ] ' % (' ' * 5 if is_switch else ' ' * 6 + '0x%016x' %
                                         node.port_guid(num), node.lid(num), num)
            if num in node.cabled():
                peer, port = fabric.peer(node, num)
                width, _ = rate(node.ports[num])
                gbps = SPEEDS[node.ports[num].get('speed_active', 1)][1]
                part.rows.append('%s==( %s %13s Gbps Active/  LinkUp)==> %7d %4d[  ] "%s" ( )' % (
                    start, width.upper(), gbps, peer.lid(port), port, peer.desc))
            elif node.lid(num):
                part.rows.append('%s==(                Down/ Polling)==>             [  ] "" ( )' % start)
        doc.parts.append(part)
    return doc


# ---- ibdiagnet -----------------------------------------------------------------------------


def lst(fabric):
    def end(node, num):
        return ('{ %s Ports:%02X SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:%06X DevID:%04X '
                'Rev:000000A0 {%s} LID:%04X PN:%02X }' % (
                    'SW' if node.type == SWITCH else 'CA', node.num_ports,
                    int(node.row.get('system_guid', node.row['guid']), 16), node.guid,
                    node.port_guid(num), node.row.get('vendor_id', 0),
                    node.row.get('device_id', 0) & 0xffff, node.desc, node.lid(num), num))
    rows = []
    for a, num, z, port in fabric.cables():
        p = a.ports[num]
        rows.append('%s %s PHY=%s LOG=ACT SPD=%s' % (
            end(a, num), end(z, port), rate(p)[0],
            {'2.5': '2.5', '5.0': '5', '10.0': '10', '14.0625': '14', '25.78125': '25', '53.125': '50',
             '106.25': '100'}[SPEEDS[p.get('speed_active', 1)][1]]))
    return Doc(parts=[Part(rows=rows)])


def db_csv(fabric):
    doc = Doc(['# This database file was automatically generated by IBDIAG',
               '# Running timestamp : 2026-01-29 12:00:00 UTC +0000', ''], plain=True)

    def section(name, columns, rows):
        doc.parts.append(Part(['START_' + name], [[str(c) for c in r] for r in rows],
                              ['END_' + name, '', ''], columns.split(',')))

    section('NODES', 'NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,'
            'PortGUID,DeviceID,PartitionCap,revision,VendorID,LocalPortNum',
            [['"%s"' % n.desc, n.num_ports, n.type, 1, 1,
              n.row.get('system_guid', n.row['guid']), '0x%016x' % n.guid,
              '0x%016x' % (n.port_guid(0) if n.type == SWITCH else n.port_guid(1)),
              n.row.get('device_id', 0), 32, 160, n.row.get('vendor_id', 0), 1] for n in fabric.nodes])
    ports, counts = [], []
    for n in fabric.nodes:
        for num in sorted(set(range(n.type == SWITCH and 0 or 1, n.num_ports + 1))):
            p, up = n.ports.get(num, {}), num in n.cabled()
            speed = p.get('speed_active', 1)
            ports.append(['0x%016x' % n.guid, '0x%016x' % n.port_guid(num), num, '0x0',
                          '0xfe80000000000000', 1, n.lid(num) if n.type != SWITCH or num == 0 else 0,
                          10570, p.get('width_active', 1), 3, 3,
                          3841 if speed > 16 else 1, 2 * 256 if speed == 32 else speed & 0xf or 1, 0,
                          5 if up or num == 0 else 2, 4 if up or num == 0 else 1, 3841, 4, 0, 5, 4, 5])
            if up:
                counts.append(['0x%016x' % n.guid, '0x%016x' % n.port_guid(num), num] + [0] * 4 + [
                    1000 * num, 1000 * num])
    section('PORTS', 'NodeGuid,PortGuid,PortNum,MKey,GIDPrfx,MSMLID,LID,CapMsk,LinkWidthActv,LinkWidthSup,'
            'LinkWidthEn,LinkSpeedEn,LinkSpeedActv,LMC,PortPhyState,PortState,LinkSpeedSup,VLCap,MSMSL,'
            'NMTU,OpVLs,MTUCap', ports)
    section('SWITCHES', 'NodeGUID,LinearFDBCap,LinearFDBTop,ENP0',
            [['0x%016x' % n.guid, 49152, 64, 1] for n in fabric.switches])
    section('LINKS', 'NodeGuid1,PortNum1,NodeGuid2,PortNum2',
            [['0x%016x' % a.guid, num, '0x%016x' % z.guid, port] for a, num, z, port in fabric.cables()])
    section('PM_INFO', 'NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,LinkDownedCounter,'
            'PortRcvErrors,PortXmitDiscards,PortXmitData,PortRcvData', counts)
    section('NODES_INFO', 'NodeGUID,FWInfo_Extended_Major,FWInfo_Extended_Minor,FWInfo_Extended_SubMinor',
            [['0x%016x' % n.guid, '0x1f', '0x7dc', '0x3f'] for n in fabric.nodes])
    return doc


# ---- plans ---------------------------------------------------------------------------------


def cables(fabric):
    rows = [[a.desc, str(num), z.desc, str(port), rate(a.ports[num])[0], rate(a.ports[num])[1],
             'C%03d' % i, '3', 'R%02d' % (a.number % 7), 'R%02d' % (z.number % 7)]
            for i, (a, num, z, port) in enumerate(fabric.cables())]
    rows = [[c.replace('??', '').replace('?', '') for c in r] for r in rows]
    return Doc(parts=[Part(rows=rows, columns='node_a,port_a,node_b,port_b,width,speed,label,length,rack_a,'
                           'rack_b'.split(','))])


def ndt(fabric):
    """As UFM exports it: a line from each end."""
    rows = []
    for node in fabric.nodes:
        for num in node.cabled():
            peer, port = fabric.peer(node, num)
            cells = []
            for n, p in ((node, num), (peer, port)):
                host, _, hca = n.desc.partition(' ')
                cells += [host if hca else n.desc, '%s %s' % (host, hca) if hca.startswith('mlx') else 'Port %d' % p]
            rows.append(cells + ['Data'])
    return Doc(parts=[Part(rows=rows, columns='#StartDevice,StartPort,EndDevice,EndPort,LinkType'.split(','))])


def topo(fabric):
    doc = Doc()
    hosts = {}
    lane = {'EDR': '25G', 'HDR': '50G', 'NDR': '100G', 'FDR': '14G', 'QDR': '10G', 'DDR': '5G', 'SDR': '2.5G'}

    def port_name(node, num):
        host, _, hca = node.desc.partition(' ')
        return ('HCA' if node.type != SWITCH else 'SWITCH', host if hca else node.desc,
                '%sP%d' % (hca + '/' if hca else '', num))
    for node, num, peer, port in fabric.cables():
        if node.type != SWITCH and peer.type == SWITCH:
            node, num, peer, port = peer, port, node, num
        kind, name, local = port_name(node, num)
        width, speed = rate(node.ports[num])
        arrow = '-' + (width + '-' if width != '??' else '') + (lane[speed] + '-' if speed in lane else '')
        hosts.setdefault((kind, name), []).append('\t%s %s> %s %s %s' % (
            (local, arrow) + port_name(peer, port)))
    doc.parts = [Part(['%s %s' % system], rows, ['']) for system, rows in hosts.items()]
    return doc


# ---- forwarding tables, Slurm --------------------------------------------------------------


def ibroute(fabric):
    doc = Doc(command='dump_fts')
    tables, owners = fabric.lfts()
    for number, table in tables.items():
        s = fabric.nodes[number]
        rows = ["0x%04x %03d : (%s portguid 0x%016x: '%s')" % (
            lid, port, 'Switch' if owners[lid].type == SWITCH else 'Channel Adapter', owners[lid].guid,
            owners[lid].desc) for lid, port in sorted(table.items())]
        doc.parts.append(Part(['Unicast lids [0x0-0x%x] of switch Lid %d guid 0x%016x (%s):' % (
            max(table), s.lid(0), s.guid, s.desc), '  Lid  Out   Destination', '       Port     Info '],
            rows, ['%d valid lids dumped ' % len(rows), '']))
    return doc


def fdbs(fabric):
    doc = Doc()
    tables, _ = fabric.lfts()
    top = max(max(t) for t in tables.values())
    for number, table in tables.items():
        rows = ['0x%04x : %03d  : 01   : yes' % (lid, table[lid]) if lid in table
                else '0x%04x : UNREACHABLE' % lid for lid in range(1, top + 1)]
        doc.parts.append(Part(['dump_ucast_routes: Switch 0x%016x' % fabric.nodes[number].guid,
                               'LID    : Port : Hops : Optimal'], rows, ['']))
    return doc


def slurm(fabric):
    part = Part()
    for s in fabric.switches:
        peers = [fabric.peer(s, n)[0] for n in s.cabled()]
        hosts = sorted({p.desc.split()[0] for p in peers if p.type != SWITCH})
        if hosts:
            part.rows.append('SwitchName=%s Nodes=%s' % (s.desc, ','.join(hosts)))
    leaves = [r.split()[0].partition('=')[2] for r in part.rows]
    part.rows.append('SwitchName=root Switches=%s' % ','.join(leaves))
    return Doc(parts=[part])


# ---- traces --------------------------------------------------------------------------------


class Trace:
    """pcap of ERF: records of [seconds, fraction, ERF header and packet, bytes more than it says]"""

    def __init__(self, file):
        data = subprocess.run(['zstd', '-dc', file], stdout=subprocess.PIPE, check=True).stdout
        self.order, self.magic, self.records, at = '<', 0xa1b2c3d4, [], 24
        while at < len(data):
            seconds, fraction, length, _ = struct.unpack_from('<IIII', data, at)
            self.records.append([seconds, fraction, data[at + 16:at + 16 + length]])
            at += 16 + length

    def data(self):
        out = [struct.pack(self.order + 'IHHiIII', self.magic, 2, 4, 0, 0, 65535, 197)]
        for seconds, fraction, record in self.records:
            if self.magic == 0xa1b23c4d:
                fraction *= 1000
            out.append(struct.pack(self.order + 'IIII', seconds, fraction, len(record), len(record)) + record)
        return b''.join(out)


TRACES = {
    'all': 'all', 'sm': 'sm', 'counters': 'counters', 'routes': 'routes', 'groups': 'routes', 'sharp': 'all',
    'interval': 'counters --interval 2', 'windows': 'counters --interval 2 --count 4', 'congestion': 'all',
    'silent': 'all', 'static-leaf': 'all', 'gone': 'all',
}

# how each is given to the program; SNAP: the fabric itself, PLAN: what it is to be
FORMATS = {
    'ibnetdiscover': (netdiscover, 'all --source FILE --expect PLAN'),
    'ibnetdiscover -p': (portlist, 'all --source FILE --expect PLAN'),
    'iblinkinfo': (linkinfo, 'all --source FILE --expect PLAN'),
    'ibdiagnet .ibnetdiscover': (ibdiagnet, 'all --source FILE --expect PLAN'),
    'ibdiagnet .lst': (lst, 'all --source FILE --expect PLAN'),
    'ibdiagnet db_csv': (db_csv, 'all --source FILE --expect PLAN'),
    'cables .csv': (cables, 'topo --source SNAP FILE'),
    'UFM NDT': (ndt, 'topo --source SNAP FILE'),
    'ibutils .topo': (topo, 'topo --source SNAP FILE'),
    'ibroute': (ibroute, 'routes --source SNAP --tables FILE'),
    'OpenSM fdbs': (fdbs, 'routes --source SNAP --tables FILE'),
    'topology.conf': (slurm, 'topo --source SNAP --slurm-check FILE'),
}

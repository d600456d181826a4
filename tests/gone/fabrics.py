# SPDX-License-Identifier: BSD-2-Clause
"""A fabric in which things are switched off, pulled, moved, exchanged and silent, and what a sweep sees of it.

Netlists of topologies/ give the devices and the cables.  What a port says (PortInfo, SMInfo) is written here, so that
each sweep is a snapshot with a time of its own.
"""
import json
import os
import re
import subprocess
import zlib

SWITCH, HCA = 2, 1
STANDBY, MASTER = 3, 4  # as a snapshot has them: one more than in SMInfo
IBCHECK = os.path.abspath(os.environ.get('IBCHECK', 'build/ibcheck'))
UP = {'width_active': 2, 'speed_active': 32, 'mtu_active': 5, 'vl_active': 4}
PORT = {'width_enabled': 2, 'width_supported': 3, 'speed_enabled': 55, 'speed_supported': 55, 'mtu_cap': 5,
        'vl_cap': 4}
PREFIX = '0xfe80000000000000'
IS_SM = 1 << 1  # of the capability mask


def natural(name):
    return [int(x) if x.isdigit() else x for x in re.split(r'(\d+)', name)]


class Node:
    """A place for a device: slot is what it is called here, whatever stands in it."""

    def __init__(self, row):
        self.slot = self.desc = row['desc']
        self.guid, self.type, self.num_ports = row['guid'], row['type'], row['num_ports']
        self.row, self.manager, self.guids = row, None, {row['guid']}

    def is_switch(self):
        return self.type == SWITCH

    def host(self):
        return None if self.is_switch() else self.slot.split()[0]

    def replace(self, guid, desc=None):
        self.guid, self.desc = guid, desc or self.desc
        self.guids.add(guid)


class Fabric:
    def __init__(self, snapshot):
        with open(snapshot, encoding='utf-8') as f:
            rows = [json.loads(line) for line in f]
        rows = [r for r in rows if 'guid' in r]
        self.nodes = {r['desc']: Node(r) for r in rows}
        # a cable is the set of its two ends, each a slot and a port
        self.cables = {frozenset(((r['desc'], p['num']), (rows[p['peer'][0]]['desc'], p['peer'][1])))
                       for r in rows for p in r['ports'] if 'peer' in p}
        self.off, self.pulled, self.silent, self.unasked = set(), set(), set(), set()

    # ---- what is there ----

    def switches(self, prefix=''):
        return sorted((n.slot for n in self.nodes.values() if n.is_switch() and n.slot.startswith(prefix)), key=natural)

    def hcas(self):
        return sorted((n.slot for n in self.nodes.values() if not n.is_switch()), key=natural)

    def hosts(self):
        """host: its HCAs"""
        out = {}
        for slot in self.hcas():
            out.setdefault(slot.split()[0], []).append(slot)
        return out

    def cables_of(self, slot):
        return sorted((c for c in self.cables if any(s == slot for s, _ in c)), key=lambda c: sorted(c))

    def trunks(self):
        """Cables between switches."""
        return sorted((c for c in self.cables if all(self.nodes[s].is_switch() for s, _ in c)),
                      key=lambda c: sorted(c))

    def behind(self, switch):
        """HCAs that are cabled to it."""
        ends = (s for c in self.cables_of(switch) for s, _ in c)
        return sorted({s for s in ends if not self.nodes[s].is_switch()}, key=natural)

    def leaf_of(self, hca):
        return next(s for c in self.cables_of(hca) for s, _ in c if s != hca)

    # ---- what is done to it ----

    def move(self, cable, *ends):
        """The same plugs elsewhere."""
        self.cables.remove(cable)
        self.cables.add(frozenset(ends))

    def free_port(self, switch):
        used = {p for c in self.cables_of(switch) for s, p in c if s == switch}
        return next((p for p in range(1, self.nodes[switch].num_ports + 1) if p not in used), None)

    def second_hca(self, host, leaf=None):
        """One more HCA of a host, at the same leaf or another, which gets a port more if it has none."""
        slot = host + ' mlx5_1'
        first = self.nodes[host + ' mlx5_0']
        row = dict(first.row, desc=slot, guid='0x%016x' % (int(first.guid, 16) + 0x4000000))
        self.nodes[slot] = Node(row)
        self.plug(slot, leaf or self.leaf_of(first.slot))
        return slot

    def guest(self, host, beside):
        """A host more, with one HCA, at the leaf of another."""
        slot = host + ' mlx5_0'
        row = dict(self.nodes[beside + ' mlx5_0'].row, desc=slot, guid='0x0c%014x' % (16 * len(self.nodes)))
        self.nodes[slot] = Node(row)
        self.plug(slot, self.leaf_of(beside + ' mlx5_0'))
        return slot

    def plug(self, slot, leaf):
        port = self.free_port(leaf)
        if port is None:
            self.nodes[leaf].num_ports += 1
            port = self.nodes[leaf].num_ports
        self.cables.add(frozenset(((slot, 1), (leaf, port))))

    # ---- what a sweep sees ----

    def is_up(self, cable):
        return cable not in self.pulled and not any(s in self.off for s, _ in cable)

    def seen(self, origin):
        """The devices that a sweep from there reaches."""
        found, at = [origin], 0
        near = {}
        for c in self.cables:
            if self.is_up(c):
                a, b = (s for s, _ in c)
                near.setdefault(a, set()).add(b)
                near.setdefault(b, set()).add(a)
        known = {origin}
        while at < len(found):
            slot = found[at]
            at += 1
            if not self.nodes[slot].is_switch() and slot != origin:
                continue
            for other in near.get(slot, ()):
                if other not in known and other not in self.silent and other not in self.unasked:
                    known.add(other)
                    found.append(other)
        return found

    def origin(self):
        """The first HCA that can look."""
        return next(h for h in self.hcas() if h not in self.off | self.silent | self.unasked and
                    any(self.is_up(c) for c in self.cables_of(h)))

    def elect(self, origin=None):
        """The subnet managers among themselves: the first that is left is the master."""
        there = self.seen(origin or self.origin())
        managers = [s for s in there if self.nodes[s].manager]
        if managers and not any(self.nodes[s].manager == MASTER for s in managers):
            self.nodes[managers[0]].manager = MASTER
        masters = sorted((s for s in managers if self.nodes[s].manager == MASTER), key=natural)
        for slot in masters[1:]:
            self.nodes[slot].manager = STANDBY

    @staticmethod
    def management(node, index):
        """What the port has by which a device is managed: that of an HCA, or port 0."""
        answers = ['PortInfo'] + (['SMInfo'] if node.manager else [])
        row = {'guid': node.guid, 'lid': index[node.slot] + 1, 'subnet_prefix': PREFIX, 'sm_lid': 1,
               'cap_mask': IS_SM if node.manager else 0}
        if not node.is_switch():
            row.update(guid='0x%016x' % (int(node.guid, 16) + 1), pkeys='ffff')
            answers.append('P_KeyTable')
        if node.manager:
            row['sm'] = {'guid': row['guid'], 'state': node.manager, 'state_later': node.manager,
                         'priority': 10 + node.manager, 'act_count': 1000, 'act_count_later': 1001,
                         'act_seconds': 1.0}
        return dict(row, asked=answers, answered=answers)

    def port_row(self, node, num, other, index):
        """A port; other: the end it is connected to, if it is up."""
        row = dict(PORT, num=num, state=4 if other else 1, phys_state=5 if other else 2,
                   asked=['PortInfo'], answered=['PortInfo'])
        if not node.is_switch():
            row.update(self.management(node, index))
        if not other:
            return row
        row.update(UP)
        row['asked'] = row['asked'] + ['Link'] + (['NodeInfo'] if other[0] not in self.unasked else [])
        row['answered'] = row['answered'] + ['Link']
        if other[0] in index:
            row['answered'] = row['answered'] + ['NodeInfo']
            row['peer'] = [index[other[0]], other[1]]
        return row

    def snapshot(self, path, when, origin=None):
        """A sweep at this time; returns the devices it saw."""
        origin = origin or self.origin()
        found = set(self.seen(origin))
        slots = [s for s in self.nodes if s in found]
        index = {s: i for i, s in enumerate(slots)}
        links = {}
        for c in self.cables:
            if self.is_up(c):
                a, b = c
                links[a], links[b] = b, a
        masters = [index[s] + 1 for s in slots if self.nodes[s].manager == MASTER]
        subnet = {'source': 'umad:mlx5_0:1', 'kind': 'umad', 'host': 'head01', 'ca': 'mlx5_0', 'ca_port': 1,
                  'time': int(when), 'subnet_prefix': PREFIX, 'origin': [index[origin], 1],
                  'provides': ['NodeInfo', 'NodeDescription', 'PortInfo', 'Link', 'PortState', 'SMInfo', 'P_KeyTable'],
                  'sweep': {}}
        if self.unasked:
            subnet.update(cut_short=True, not_asked=len(self.unasked))
        lines, ports, cables = [{'ibcheck_snapshot': 1, 'tool': 'tests', 'subnets': [subnet]}], 0, 0
        for slot in slots:
            node = self.nodes[slot]
            row = {key: node.row[key] for key in ('subnet', 'vendor_id', 'device_id') if key in node.row}
            answers = ['NodeInfo', 'NodeDescription']
            row.update(guid=node.guid, system_guid=node.guid, desc=node.desc, type=node.type,
                       num_ports=node.num_ports, asked=answers, answered=answers, ports=[])
            if node.is_switch():
                row['ports'].append({**self.management(node, index), 'num': 0, 'state': 4, 'phys_state': 5, **PORT, **UP})
            row['ports'] += [self.port_row(node, n, links.get((slot, n)), index)
                             for n in range(1, node.num_ports + 1)]
            for p in row['ports']:
                if 'sm_lid' in p and masters:
                    p['sm_lid'] = masters[0]
                cables += 'peer' in p
            ports += len(row['ports'])
            lines.append(row)
        text = ''.join(json.dumps(x, separators=(',', ':')) + '\n' for x in lines)
        end = {'nodes': len(slots), 'ports': ports, 'cables': cables // 2, 'tables': 0,
               'crc32': zlib.crc32(text.encode())}
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text + json.dumps({'end': end}, separators=(',', ':')) + '\n')
        return found


def load(source, folder):
    """A netlist, or what --source takes else, with a master on its first host and a standby on its last."""
    path = os.path.join(folder, re.sub(r'\W+', '-', source) + '.snap')
    if not os.path.exists(path):
        subprocess.run([IBCHECK, 'snapshot', '--source', source, '-o', path, '-q', '--config', '/dev/null'],
                       stdout=subprocess.DEVNULL, check=False)
    fabric = Fabric(path)
    hcas = fabric.hcas()
    fabric.nodes[hcas[0]].manager, fabric.nodes[hcas[-1]].manager = MASTER, STANDBY
    return fabric

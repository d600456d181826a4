# SPDX-License-Identifier: BSD-2-Clause
"""A fabric from a snapshot with its forwarding tables, that can be walked, damaged, and written again.

Routes are followed here, and not by ibcheck: what this says of a pair is what a job would have seen.
"""
import copy
import ipaddress
import json
import re
import zlib
from collections import deque

SWITCH = 2
FAULTS = {'flap': ('link_downed', 'link_error_recovery', 'symbol_error', 'receive_errors'),
          'errors': ('symbol_error', 'receive_errors', 'link_error_recovery')}


class Node:
    def __init__(self, row):
        self.row, self.guid = row, row['guid']
        self.ports = {p['num']: p for p in row['ports']}
        self.is_switch, self.subnet = row['type'] == SWITCH, row.get('subnet', 0)
        self.lft, self.peers = {}, {}
        self.called(row['desc'])

    def called(self, desc):
        self.row['desc'], self.desc = desc, desc
        self.short = re.sub('^MF0;|[:.].*', '', desc)
        self.host = self.device = None
        if not self.is_switch:
            host, device = desc.split()
            self.host = host.split('.')[0]
            # "HCA-1" is the first one that the kernel names
            self.device = re.sub(r'^HCA-(\d+)$', lambda m: 'mlx5_%d' % (int(m[1]) - 1), device)

    def __repr__(self):
        return self.desc


class Port:
    """An end of a connection: a port of an HCA."""

    def __init__(self, node, num=1):
        p = node.ports[num]
        self.node, self.num, self.lid, self.guid = node, num, p['lid'], int(p['guid'], 16)
        self.host, self.device = node.host, node.device

    def gid(self):
        prefix = int(self.node.ports[self.num].get('subnet_prefix', '0xfe80000000000000'), 16)
        return str(ipaddress.IPv6Address(prefix << 64 | self.guid))


class Fabric:
    def __init__(self, snapshot):
        with open(snapshot, encoding='utf-8') as f:
            rows = [json.loads(line) for line in f]
        self.header = rows[0]
        self.nodes = [Node(r) for r in rows if 'guid' in r]
        for node in self.nodes:
            node.peers = {n: (self.nodes[p['peer'][0]], p['peer'][1])
                          for n, p in node.ports.items() if 'peer' in p}
        for r in rows:
            if r.get('table') == 'lft':
                digits = ''.join(r['rows'])
                lft = self.nodes[r['node']].lft
                for i in range(len(digits) // 2):
                    port = int(digits[2 * i:2 * i + 2], 16)
                    if port != 255:
                        lft[64 * r['from'] + i] = port
        self.index()

    def index(self):
        self.by_lid = {(n.subnet, p['lid']): (n, num) for n in self.nodes for num, p in n.ports.items()
                       if p.get('lid')}
        self.ends = [Port(n) for n in self.nodes if not n.is_switch and 1 in n.peers]
        self.done = []  # what was done to it

    def copy(self):
        new = copy.copy(self)
        new.done = []
        twins = {n: Node(copy.deepcopy(n.row)) for n in self.nodes}
        for n, twin in twins.items():
            twin.lft = dict(n.lft)
            twin.peers = {p: (twins[m], q) for p, (m, q) in n.peers.items()}
        new.nodes = list(twins.values())
        new.header = copy.deepcopy(self.header)
        new.index()
        return new

    def find(self, guid):
        return next((n for n in self.nodes if n.guid == guid), None)

    def hosts(self):
        out = {}
        for e in self.ends:
            out.setdefault(e.host, []).append(e)
        return out

    def cables(self):
        for a in self.nodes:
            for p, (b, q) in a.peers.items():
                if (a.guid, p) < (b.guid, q):
                    yield a, p, b, q

    # ---- routes ----

    def route(self, source, dest):
        """Hops from one end to another, each (node, port out of it, next node, port into it); None: no way"""
        hops, at, out = [], source.node, source.num
        while len(hops) < 64:
            if out not in at.peers:
                return None
            there, into = at.peers[out]
            hops.append((at, out, there, into))
            if there is dest.node and into == dest.num:
                return hops
            if not there.is_switch or dest.lid not in there.lft:
                return None
            at, out = there, there.lft[dest.lid]
        return None

    def hops(self, a, b):
        """Of a connection: there and back."""
        return (self.route(a, b) or []) + (self.route(b, a) or [])

    def crosses(self, pair, cable):
        """0: no; 1, 2: in the direction from its first end, from its second; 3: both"""
        (a, p, b, q), found = cable, 0
        for x, i, y, j in self.hops(*pair):
            found |= 1 if (x, i, y, j) == (a, p, b, q) else 2 if (x, i, y, j) == (b, q, a, p) else 0
        return found

    def reroute(self):
        """What a subnet manager does: ports that lead nowhere, or not on a shortest way, are replaced."""
        for node in self.nodes:
            node.lft = {lid: p for lid, p in node.lft.items()
                        if self.by_lid.get((node.subnet, lid), [0])[0] in self.nodes}
        for (subnet, lid), (target, num) in self.by_lid.items():
            if target not in self.nodes:
                continue
            starts = [target] if target.is_switch else [target.peers[num][0]] if num in target.peers else []
            far, queue = {s: 0 for s in starts}, deque(starts)
            while queue:
                node = queue.popleft()
                for there, _ in node.peers.values():
                    if there.is_switch and there not in far:
                        far[there] = far[node] + 1
                        queue.append(there)
            for s in self.nodes:
                if not s.is_switch or s in starts or s.subnet != subnet:
                    continue
                if s not in far:
                    s.lft.pop(lid, None)
                    continue
                good = [p for p, (t, _) in sorted(s.peers.items()) if t in far and far[t] == far[s] - 1]
                if s.lft.get(lid) not in good:
                    s.lft[lid] = good[lid % len(good)]

    # ---- as sites differ ----

    def rename(self, how):
        """How a site describes its nodes: "HCA-1" for "mlx5_0", with a domain, as managed switches; or its prefix"""
        for node in self.nodes:
            if how == 'hca' and not node.is_switch:
                node.called('%s HCA-%d' % (node.host, int(node.device[5:]) + 1))
            if how == 'domain' and not node.is_switch:
                node.called('%s.hpc.example %s' % (node.host, node.device))
            if how == 'managed' and node.is_switch:
                node.called('MF0;%s:MQM8700/U1' % node.desc)
            for port in node.ports.values() if how == 'prefix' else ():
                if 'subnet_prefix' in port:
                    port['subnet_prefix'] = '0xfec0000000000a01'
        if how == 'prefix':
            self.header['subnets'][0]['subnet_prefix'] = '0xfec0000000000a01'
        if how == 'two':
            self.join()
        self.index()

    def join(self):
        """The same network once more, with other GUIDs, other names and the same LIDs: the subnet of rail 2."""
        other = self.copy()
        other.rename('prefix')
        for node in other.nodes:
            node.called(node.desc.replace('mlx5_0', 'mlx5_1') if not node.is_switch else node.desc + 'b')
            for row in [node.row] + node.row['ports'] + [p['sm'] for p in node.row['ports'] if 'sm' in p]:
                for key in ('guid', 'system_guid'):
                    if key in row:
                        row[key] = row[key].replace('0x02', '0x03', 1)
            node.guid, node.row['subnet'], node.subnet = node.row['guid'], 1, 1
        self.nodes += other.nodes
        self.header['subnets'] += other.header['subnets']

    # ---- damage ----

    def count(self, node, num, **counters):
        self.done += [('errors', node, num, name, more) for name, more in counters.items() if more]
        row = node.ports[num].get('counters')
        for name, more in counters.items() if row else ():
            row['values'][name] = min(row['values'][name] + more, 2 ** 16 - 1 if more < 2 ** 16 else 2 ** 48)

    def unplug(self, node, num, downed=True):
        """Both ends are down, and say so where they are still asked."""
        there, into = node.peers.pop(num)
        there.peers.pop(into)
        self.done.append(('unlink', node, num))
        for n, p in ((node, num), (there, into)):
            row = n.ports[p]
            row.pop('peer', None)
            row.update(state=1, phys_state=2)
            for key in ('width_active', 'speed_active', 'mtu_active', 'vl_active'):
                row.pop(key, None)
            if downed:
                self.count(n, p, link_downed=1)

    def remove(self, node):
        for num in list(node.peers):
            self.unplug(node, num)
        self.nodes.remove(node)
        self.ends = [e for e in self.ends if e.node is not node]

    def silence(self, node):
        """It answers nothing any more; its cables are up, and nothing says where they lead."""
        self.done.append(('lose', node, 100))
        for there, into in node.peers.values():
            del there.peers[into]
            there.ports[into].pop('peer', None)
            there.ports[into].setdefault('asked', []).append('NodeInfo')
        self.nodes.remove(node)

    def traffic(self, rng, seconds, speckle):
        """What all ports at work count meanwhile; speckle: a symbol error here and there, as is allowed."""
        for node in self.nodes:
            for num in node.peers:
                data = int(rng.random() * seconds * 5e9)
                self.count(node, num, transmit_data_bytes=data, receive_data_bytes=data + 4096,
                           transmit_packets=data // 2048, receive_packets=data // 2048,
                           unicast_transmit_packets=data // 2048, unicast_receive_packets=data // 2048,
                           transmit_wait=int(rng.random() ** 4 * 1e7))
                if speckle and rng.random() < 0.05:
                    self.count(node, num, symbol_error=1)

    # ---- to a file ----

    def write(self, path, when):
        index = {n: i for i, n in enumerate(self.nodes)}
        head = copy.deepcopy(self.header)
        top = max(lid for _, lid in self.by_lid) + 1
        for i, s in enumerate(head['subnets']):
            for key in ('sa', 'multicast'):
                s.pop(key, None)
            s['provides'] = [p for p in s['provides'] if not p.startswith(('SA', 'Service', 'Multicast'))]
            origin = next(e.node for e in self.ends if e.node.subnet == i)
            s.update(source='umad:%s:1' % origin.device, kind='umad', ca=origin.device, ca_port=1, host='head01',
                     time=int(when), origin=[index[origin], 1], forwarding={'lids': top})
        lines, cables, ports, tables = [head], 0, 0, 0
        for node in self.nodes:
            row = dict(node.row, ports=[])
            for key in ('asked', 'answered'):
                row[key] = [a for a in row[key] if not a.startswith('Multicast')]
            for num, p in sorted(node.ports.items()):
                if num in node.peers:
                    there, into = node.peers[num]
                    p = dict(p, peer=[index[there], into])
                    cables += 1
                row['ports'].append(p)
                ports += 1
            lines.append(row)
        for node in self.nodes:
            if node.is_switch:
                digits = ''.join('%02x' % node.lft.get(lid, 255) for lid in range((top + 63) // 64 * 64))
                lines += [{'table': 'lft', 'node': index[node], 'from': i // 128, 'rows': [digits[i:i + 128]]}
                          for i in range(0, len(digits), 128)]
                tables += len(digits) // 128
        text = ''.join(json.dumps(x, separators=(',', ':')) + '\n' for x in lines)
        end = {'nodes': len(self.nodes), 'ports': ports, 'cables': cables // 2, 'tables': tables,
               'crc32': zlib.crc32(text.encode())}
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text + json.dumps({'end': end}, separators=(',', ':')) + '\n')

# SPDX-License-Identifier: BSD-2-Clause
"""Simulated jobs: what failed, which connections that broke, what the fabric shows of it, what the job printed."""
import gzip
import os
import random
import shutil
import subprocess
import time

import wording
from fabrics import FAULTS, Port
from wording import FORMS, PREFIXES

# Of 50 jobs; the first part are those with a fault in the fabric.
FABRIC = {'flap': 5, 'host-flap': 3, 'errors': 5, 'host-errors': 2, 'leaf': 2, 'spine': 3, 'cable': 3,
          'host-cable': 2, 'two': 3}
OTHERS = {'hca': 2, 'host': 2, 'process': 3, 'silent': 1, 'memory': 3, 'not-ready': 2, 'elsewhere': 3, 'elsewhen': 1,
          'nothing': 1, 'roce': 2, 'pair': 2}
KINDS = [k for part in (FABRIC, OTHERS) for k, n in part.items() for _ in range(n)]

NOW = int(os.environ.get('BLAME_NOW', time.time()))
FAULT = NOW - 900  # then, and the sweeps: the day before, half an hour before, after it, and later
SWEEPS = (FAULT - 86400, FAULT - 1800)
AFTER, LATER = FAULT + 420, FAULT + 600


class Truth:
    """@right: names of things one of which must be named; @fine: that may be named; @want: as what, or that nothing is

    A name is ('port', guid, number), ('node', guid) or ('host', name)."""

    def __init__(self, want, right=(), fine=()):
        self.want, self.right = want, [set(r) for r in right]
        self.fine = set(fine).union(*self.right) if self.right else set(fine)
        self.said = []


def ends_of(cable):
    (a, p, b, q) = cable
    return {('port', a.guid, p), ('port', b.guid, q)}


class Job:
    def __init__(self, number, kind, site, form=None, evidence=None):
        self.number, self.kind, self.site = number, kind, site
        self.rng = rng = random.Random('blame %d' % number)
        self.fault, self.spread = (FAULT + rng.randrange(-300, 300), 1) if not site.home else (time.time(), 1e-3)
        self.roce = kind == 'roce'
        names = [n for n in FORMS for _ in range(2 if FORMS[n].peer else 1) if FORMS[n].roce or not self.roce]
        self.form = FORMS[form or names[(number * 7 + number // 50 * 3) % len(names)]]
        self.before, self.after = site.fabric, site.fabric.copy()
        by_guid = {n.guid: n for n in self.after.nodes}
        self.twin = lambda node: by_guid[node.guid]
        self.rails = len({e.device for e in self.before.ends})
        self.evidence = evidence or rng.choices(['state', 'both', 'later', 'source', 'none'], [45, 30, 10, 8, 7])[0]
        hosts = self.before.hosts()
        chosen = rng.sample(sorted(set(hosts) - {site.home}), max(6, int((len(hosts) - 1) * rng.uniform(0.6, 1))))
        self.ends = [e for h in chosen for e in hosts[h]]
        self.ranks = {e.guid: i for i, e in enumerate(self.ends)}
        self.style = rng.choice(['{}', '{}', '{}', '{}.hpc.example'])
        self.pods = self.form.peer == 'gid' and not self.roce and rng.random() < 0.2
        self.pairs = getattr(self, self.form.pairs)(chosen, hosts)
        self.failures, self.extra, self.later = [], [], []  # (pair, status, ends that say so); (time, end, text)
        self.truth = getattr(self, 'do_' + kind.replace('-', '_'))()
        if kind != 'silent':
            self.after.reroute()

    def when(self, least, most):
        """So many seconds after the fault; what runs live has no time to wait."""
        return self.fault + self.rng.uniform(least, most) * self.spread

    # ---- names ----

    def own_name(self, end):
        return 'train-%d-worker-%d' % (self.number, self.rank(end)) if self.pods else self.style.format(end.host)

    def peer_name(self, end):
        return self.style.format(end.host) if self.number % 5 else end.host + '-ib'

    def host_number(self, end):
        return sorted(self.before.hosts()).index(end.host)

    def address(self, end):
        return '10.20.%d.%d' % divmod(self.host_number(end) + 5, 250)

    def ib_address(self, end):
        return '10.30.%d.%d' % divmod(self.host_number(end) + 5, 250)

    def gid(self, end):
        if self.roce:
            return '::ffff:10.4%s.0.%d' % (end.device[-1], self.host_number(end) + 5)
        return end.gid()

    def rank(self, end):
        return self.ranks[end.guid]

    def gpu(self, end):
        return int(end.device[-1])

    def pid(self, end):
        return 2000 + self.number * 13 % 30000 + self.rank(end)

    def socket(self, end):
        return 32768 + (self.rank(end) * 977 + self.number) % 28000

    # ---- who talks to whom ----

    def ring(self, chosen, hosts):
        """Rings of NCCL, of each rail its own, in two orders."""
        out = []
        for order in (chosen, self.rng.sample(chosen, len(chosen))):
            for a, b in zip(order, order[1:] + order[:1]):
                out += [(x, y) for x in hosts[a] for y in hosts[b] if x.device == y.device]
        return out

    def all(self, chosen, _):
        pairs = [(a, b) for a in self.ends for b in self.ends if a.guid < b.guid and a.host != b.host and
                 a.node.subnet == b.node.subnet]
        return self.rng.sample(pairs, min(len(pairs), 150))

    def servers(self, chosen, _, number=4):
        served = chosen[:number]
        return [(a, b) for a in self.ends for b in self.ends
                if b.host in served and a.host not in served and a.device == b.device]

    def server(self, chosen, hosts):
        return self.servers(chosen, hosts, 2)

    # ---- faults ----

    def broken_by(self, cable, direction=3):
        return [p for p in self.pairs if self.before.crosses(p, cable) & direction]

    def fail(self, pairs, status=12, most=25):
        """Some of them, in the log: by one end or both; a server logs too where all are peers."""
        for pair in self.rng.sample(pairs, min(len(pairs), self.rng.randrange(2, most))):
            ends = [0] if self.form.pairs.startswith('server') else self.rng.choice([[0], [1], [0, 1]])
            self.failures.append((pair, status, ends))

    def pick_cable(self, trunk, least=2, direction=False):
        """A cable that at least so many pairs of the job cross, with a direction in which they do."""
        cables = [c for c in self.before.cables() if (c[0].is_switch and c[2].is_switch) == trunk and
                  self.site.home not in {c[0].host, c[2].host} - {None}]
        self.rng.shuffle(cables)
        for few in (least, 1):
            for c in cables:
                for d in self.rng.sample([1, 2], 2) if direction else [3]:
                    if len(self.broken_by(c, d)) >= few and c not in self.used():
                        return c, d
        return None

    def used(self):
        return getattr(self, 'cables_used', [])

    def damage(self, cable, how, direction=3):
        (a, p, b, q), rng = cable, self.rng
        self.cables_used = self.used() + [cable]
        a, b = self.twin(a), self.twin(b)
        if how == 'cable':
            self.after.unplug(a, p)
            return
        for node, num, into in ((a, p, 2), (b, q, 1)):
            counts = dict.fromkeys(FAULTS[how], 0)
            if into & direction:
                counts = {c: rng.randrange(100, 30000) for c in counts}
            if how == 'flap':
                times = rng.randrange(1, 6)
                counts.update(link_downed=times, link_error_recovery=rng.randrange(2), receive_errors=rng.randrange(9))
            else:
                counts['link_error_recovery'] = rng.choice([0, 0, rng.randrange(20)])
            self.after.count(node, num, **counts)

    def one(self, how, trunk, fine=()):
        found = self.pick_cable(trunk, direction=how == 'errors')
        if not found:  # all below one leaf: then another rail or host would do, but not this job
            found = self.pick_cable(not trunk, direction=how == 'errors')
        cable, direction = found
        self.damage(cable, how, direction)
        self.fail(self.broken_by(cable, direction))
        hca = next((n for n in (cable[0], cable[2]) if not n.is_switch), None)
        if hca and self.rng.random() < 0.4 and how != 'errors':
            self.kernel_or_nccl(Port(hca), unplugged=how == 'cable')
        return cable, {('host', hca.host)} if hca else set()

    def kernel_or_nccl(self, end, unplugged):
        t = self.when(-12, -1)
        if self.form.family == 'kernel' and unplugged:
            self.extra.append((t, end, wording.kernel_unplugged(end)))
        elif self.form.family == 'nccl':
            self.extra.append((t, end, wording.nccl_port_error(self.rng, self, end)))

    def link(self, how, trunk):
        cable, host = self.one(how, trunk)
        # a cable of a host that is pulled looks from outside like a host that is gone
        return Truth('fabric', [ends_of(cable) | (host if how == 'cable' else set())], host)

    def do_flap(self):
        return self.link('flap', True)

    def do_host_flap(self):
        return self.link('flap', False)

    def do_errors(self):
        return self.link('errors', True)

    def do_host_errors(self):
        return self.link('errors', False)

    def do_cable(self):
        return self.link('cable', True)

    def do_host_cable(self):
        return self.link('cable', False)

    def do_two(self):
        right, host = [], set()
        for how in self.rng.choice([('flap', 'errors'), ('errors', 'cable'), ('flap', 'cable'), ('errors', 'errors')]):
            cable, more = self.one(how, True)
            right.append(ends_of(cable) | (more if how == 'cable' else set()))
            host |= more
        # of a switch that both end at it is true that two of its cables failed
        ends = [{('node', end[1]) for end in cable if end[0] == 'port'} for cable in right]
        return Truth('fabric', right, host | (ends[0] & ends[1]))

    def switch(self, which):
        rng, count = self.rng, {}
        for pair in self.pairs:
            for s in {h[0].guid for h in self.before.hops(*pair) if h[0].is_switch}:
                count.setdefault(s, []).append(pair)
        most = sorted((s for s in count if self.before.find(s).short.startswith(which) and self.site.home not in
                       {n.host for n, _ in self.before.find(s).peers.values()} - {None}), key=lambda s: -len(count[s]))
        guid = rng.choice(most[:4])
        dead = self.after.find(guid)
        for host in [n for n, _ in dead.peers.values() if not n.is_switch]:
            self.after.remove(host)
        self.after.remove(dead)
        self.fail(count[guid], most=40)
        ports = {('port', guid, p) for p in self.before.find(guid).peers} | {
            ('port', n.guid, q) for n, q in self.before.find(guid).peers.values() if n.is_switch}
        return Truth('fabric', [{('node', guid)}], ports)

    def do_leaf(self):
        return self.switch('leaf')

    def do_spine(self):
        return self.switch(self.rng.choice(['spine', 'core'] if self.site.has_cores else ['spine']))

    def host_pairs(self, host, device=None):
        return [p for p in self.pairs if any(e.host == host and device in (None, e.device) for e in p)]

    def survivors(self, host):
        """The others say it: the one that is gone says nothing."""
        self.failures = [(p, s, [0 if p[1].host == host else 1]) for p, s, e in self.failures]

    def victim(self):
        names = sorted({e.host for p in self.pairs for e in p if not self.form.pairs.startswith('server')} or
                       {p[1].host for p in self.pairs})
        return self.rng.choice(names)

    def do_host(self):
        host = self.victim()
        cables = [(e.node, 1) + e.node.peers[1] for e in self.before.hosts()[host]]
        for c in cables:
            self.after.remove(self.twin(c[0]))
        self.fail(self.host_pairs(host))
        self.survivors(host)
        # of its only cable it cannot be told; several do not fail at once
        ends = ends_of(cables[0]) if len(cables) == 1 else set()
        return Truth('host', [{('host', host)} | ends])

    def do_hca(self):
        host = self.victim()
        end = self.rng.choice([e for e in self.before.hosts()[host]
                               if any(e.guid in (a.guid, b.guid) for a, b in self.pairs)])
        leaf, port = end.node.peers[1]
        if self.rng.random() < 0.4:
            self.after.count(self.twin(leaf), port, link_downed=1)
            values = self.twin(end.node).ports[1]['counters']['values']
            values.update(dict.fromkeys(values, 0))
        else:
            self.after.remove(self.twin(end.node))
        self.fail(self.host_pairs(host, end.device))
        if self.form.family == 'kernel' and self.rng.random() < 0.6:
            self.extra.append((self.when(-2, 0), end, wording.kernel_dead(self.rng, end)))
        else:
            self.survivors(host)
        return Truth('host', [{('host', host)} | ends_of((end.node, 1, leaf, port))])

    def do_process(self):
        host = self.victim()
        self.fail(self.host_pairs(host))
        self.survivors(host)
        self.extra.append((self.when(-1, 0), self.before.hosts()[host][0],
                           wording.lost_process(self.rng, self, self.before.hosts()[host][0], self.fault)))
        return Truth('process', fine={('host', host)})

    def do_silent(self):
        """A process ends; and a switch on the way answers no sweep any more, though its links are up."""
        truth = self.do_process()
        hops = [h for pair, _, _ in self.failures for h in self.before.hops(*pair)]
        switches = sorted({h[0].guid for h in hops if h[0].short.startswith('spine')})
        if switches:  # those that fail may all be below one leaf
            self.after.silence(self.after.find(self.rng.choice(switches)))
        return truth

    def program(self, statuses):
        self.fail(self.rng.sample(self.pairs, min(len(self.pairs), 8)), self.rng.choice(statuses), 8)
        return Truth('software')

    def do_memory(self):
        return self.program([4, 10, 9])

    def do_not_ready(self):
        return self.program([13])

    def do_pair(self):
        self.fail([self.rng.choice(self.pairs)])
        return Truth('unseen')

    def do_elsewhere(self):
        """A fault that no route of the job crosses, and no host of it has; the job fails for another reason."""
        mine = {e.host for e in self.ends}
        free = [c for c in self.before.cables() if not self.broken_by(c) and
                not {c[0].host, c[2].host} & mine]
        if not free:  # all of the fabric is this job's: keep to a few hosts of it
            few = {e.host for e in self.ends[:2 * self.rails]}
            self.pairs = [p for p in self.pairs if p[0].host in few and p[1].host in few] or self.pairs[:1]
            free = [c for c in self.before.cables() if not self.broken_by(c) and not {c[0].host, c[2].host} &
                    {e.host for p in self.pairs for e in p}]
        self.damage(self.rng.choice(free), self.rng.choice(['flap', 'errors', 'cable']))
        return self.rng.choice([self.do_pair, self.do_process, self.do_memory])()

    def do_elsewhen(self):
        """A link of its routes flaps, long after it ended."""
        cable, _ = self.pick_cable(True)
        self.damage(cable, 'flap')
        self.fault -= 20 * 3600
        self.fail(self.broken_by(cable))
        return Truth('unseen')

    def do_roce(self):
        if self.rng.random() < 0.5:
            self.damage(self.pick_cable(True)[0], 'flap')
        self.fail(self.pairs, self.rng.choice([12, 12, 13, 4]), 12)
        return Truth('software' if self.failures[0][1] != 12 else 'unseen')

    def do_nothing(self):
        return Truth('unseen')

    # ---- what is expected ----

    def is_clear(self):
        """Both ends can be told from the lines; and there is evidence that stems from then.

        Of several HCAs NCCL uses those of one name at both ends; of others, which name one, the peer's is not told."""
        one = self.rails == 1 or self.form.device and self.form.family == 'nccl'
        known = {'gid': True, 'lid': True, 'host': one, 'address': one and self.has_hosts, None: False}[self.form.peer]
        return known and not (self.pods and self.form.peer != 'gid') and self.evidence in ('state', 'both', 'later')

    # ---- the files ----

    def lines(self):
        """(time, end, texts), in order, with what comes after: flushes, and in some the end of who failed first."""
        rng, out = self.rng, []
        for pair, status, ends in self.failures:
            for i in ends:
                own, peer = pair[i], pair[1 - i]
                t = self.when(0, 8)
                for _ in range(rng.choice([1, 1, 1, 2, 4])):
                    out.append((t, own, self.form.render(rng, self, own, peer, status)))
                    t += rng.uniform(0, 0.5) * self.spread
                if self.form.flush and rng.random() < 0.5:
                    out += [(t + k / 50 * self.spread, own, self.form.render(rng, self, own, peer, 5))
                            for k in range(rng.randrange(1, 9))]
        if self.kind in FABRIC and self.failures and rng.random() < 0.15:
            pair, _, ends = rng.choice(self.failures)
            first = pair[ends[0]]
            said = {(p[0].guid, p[1].guid) for p, _, _ in self.failures}
            others = [p for p in self.pairs if first.guid in (p[0].guid, p[1].guid) and
                      (p[0].guid, p[1].guid) not in said]
            for p in others[:5]:  # its process has ended meanwhile
                own, peer = p if p[1].guid == first.guid else p[::-1]
                out.append((self.when(20, 60), own, self.form.render(rng, self, own, peer, 12)))
        out += [(t, end, [text]) for t, end, text in self.extra]
        for _ in range(rng.randrange(10, 80)):
            end = rng.choice(self.ends)
            out.append((self.when(-120, 70), end, [wording.noise(rng, self, end)]))
        return sorted(out, key=lambda x: x[0])

    def log(self, folder):
        """Writes the files; their names, and whether a line of them tells the time."""
        rng, family = self.rng, self.form.family
        ways = [p for p in PREFIXES.values() if family in p[1] and
                (p[2] or family not in ('hosted', 'kernel', 'gpfs'))]
        put, _, _, self.timed = rng.choice(ways)
        wraps = put.__name__ == 'bare' and rng.random() < (0.4 if self.form.name == 'openmpi' else 0.1)
        colour = put.__name__ not in ('docker', 'journal_json') and rng.random() < 0.15
        text = []
        for t, end, texts in self.lines():
            for one in texts:
                one = wording.coloured(rng, one) if colour else one
                for part in wording.wrapped(rng, one) if wraps else [one]:
                    text.append((end.host, put(self, t, end, part)))
        self.wording = put.__name__ + (' wrapped' if wraps else '') + (' colour' if colour else '')
        several = rng.choice([0, 0, 0, 2, 5])
        files = {}
        for host, line in text:
            name = 'job.log' if not several else 'part%d.log' % (sum(map(ord, host)) % several)
            files.setdefault(name, []).append(line)
        out = []
        for name, lines in sorted(files.items()):
            data = ('\r\n' if rng.random() < 0.05 else '\n').join(lines).encode() + b'\n'
            path = os.path.join(folder, name)
            how = rng.choice(['', '', '', '.gz', '.zst', 'cut'])
            if how == '.gz':
                data = gzip.compress(data)
            if how == 'cut':
                data = data[:-rng.randrange(1, 40)]  # of noise, if not of a repetition
            path += '' if how in ('', 'cut') else how
            with open(path, 'wb') as f:
                f.write(subprocess.run(['zstd', '-q', '-c'], input=data, stdout=subprocess.PIPE, check=True).stdout
                        if how == '.zst' else data)
            out.append(path)
        return out

    def hosts_file(self, folder):
        path = os.path.join(folder, 'hosts')
        with open(path, 'w', encoding='ascii') as f:
            f.write('127.0.0.1\tlocalhost\n# of the cluster\n')
            for host, ends in sorted(self.before.hosts().items()):
                f.write('%s %s %s.hpc.example\n' % (self.address(ends[0]), host, host))
                f.write('%s\t%s-ib0\n' % (self.ib_address(ends[0]), host))
        return path

    def write(self, folder, ibcheck):
        """All files of it; the arguments of ibcheck."""
        rng = self.rng
        self.after.traffic(rng, AFTER - SWEEPS[-1], rng.random() < 0.2)
        snap, state, args = os.path.join(folder, 'after.snap'), os.path.join(folder, 'state'), []
        told = self.evidence
        if told == 'none':  # nothing is swept after it, or nothing is seen of it
            self.after = self.before.copy()
            self.after.traffic(rng, AFTER - SWEEPS[-1], False)
            told = rng.choice(['state', 'both', 'before'])
        if told != 'source':
            shutil.copytree(self.site.state, state)
            args += ['--state', state]
        if told != 'before':
            self.after.write(snap, AFTER)
            if told in ('state', 'later'):
                ibcheck(['all', '--routes', '--state', state, '--source', snap])
            if told == 'later':
                self.after.traffic(rng, LATER - AFTER, False)
                self.after.write(snap, LATER)
            if told != 'state':
                args += ['--source', snap]
        logs = self.log(folder)
        self.has_hosts = rng.random() < (0.9 if self.form.peer == 'address' else 0.3)
        if self.has_hosts:
            args += ['--hosts', self.hosts_file(folder)]
        if not self.timed and (rng.random() < 0.7 or self.fault < SWEEPS[-1]):
            args += ['--at', time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(self.fault))]
        return ['blame'] + args + logs

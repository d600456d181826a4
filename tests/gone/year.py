# SPDX-License-Identifier: BSD-2-Clause
"""A simulated year: things go and come in any order, and at each run what is open is what the oracle says."""
import random

from scenes import BEGAN, DAY, HOUR, MINUTE

TOPOLOGIES = ('two-level-small', 'three-level', 'synth:fattree:leaves=6,spines=3,hosts=5,radix=9',
              'synth:fattree:levels=3,pods=3,leaves=2,spines=2,uplinks=2,hosts=3,radix=8',
              'synth:fattree:leaves=4,spines=4,hosts=4,cables=2,radix=12')
EVENTS = 30     # of a year; each is followed by one to four runs
INTERVALS = (MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY)
# what can happen, and how often beside the others
WEIGHTS = {'host': 6, 'back': 10, 'leaf': 2, 'upper': 2, 'cable': 3, 'hca': 2, 'rack': 1, 'manager': 1, 'silent': 2,
           'deadline': 1, 'replace': 2, 'rename': 1, 'retire': 1, 'guest': 1, 'reboot': 3}


class Year:
    def __init__(self, story, seed):
        self.story, self.f, self.rng = story, story.fabric, random.Random(seed)
        self.guests, self.number, self.log = {}, 0, []
        hosts = list(self.f.hosts())
        for host in self.rng.sample(hosts, 3):
            self.f.second_hca(host)

    def up(self, slots):
        """Those of them that are there, but for the one that sweeps."""
        return [s for s in slots if s not in self.f.off and s != self.f.origin()]

    def pick(self, slots):
        return self.rng.choice(slots) if slots else None

    def do(self, what):
        getattr(self, 'do_' + what)()

    def down(self, slot):
        """It is switched off, unless all that sweeps would be."""
        if not slot:
            return
        self.f.off.add(slot)
        leaves = {self.f.leaf_of(h) for h in self.f.hcas() if h not in self.f.off} - self.f.off
        if len(leaves) < 2:
            self.f.off.discard(slot)
        self.log.append('off ' + slot)

    def do_host(self):
        for slot in self.f.hosts()[self.rng.choice(list(self.f.hosts()))]:
            self.down(slot)

    def do_hca(self):
        self.down(self.pick(self.up(s for h in self.f.hosts().values() if len(h) > 1 for s in h)))

    def do_leaf(self):
        self.down(self.pick(self.up(self.f.switches('leaf'))))

    def do_upper(self):
        self.down(self.pick(self.up([s for s in self.f.switches() if not s.startswith('leaf')])))

    def do_rack(self):
        for slot in self.f.behind(self.pick(self.f.switches('leaf'))):
            self.down(slot)

    def do_cable(self):
        cable = self.pick([c for c in self.f.trunks() if c not in self.f.pulled])
        self.f.pulled.add(cable)
        self.log.append('pull %s' % sorted(cable))

    def do_back(self):
        ill = sorted(self.f.off - set(self.guests)) + sorted(self.f.pulled, key=sorted)
        for thing in self.rng.sample(ill, (len(ill) + 1) // 2):
            self.f.off.discard(thing)
            self.f.pulled.discard(thing)
            self.log.append('back %s' % (thing if isinstance(thing, str) else sorted(thing)))

    def do_reboot(self):
        """Of some hosts, for one run."""
        before = set(self.f.off)
        for host in self.rng.sample(list(self.f.hosts()), self.rng.choice((1, 1, 4))):
            for slot in self.f.hosts()[host]:
                self.down(slot)
        self.run(1, self.pick(INTERVALS))
        self.f.off = before
        self.log.append('booted')

    def do_manager(self):
        managers = [n for n in self.f.nodes.values() if n.manager]
        stopped = [n for n in (self.f.nodes[h] for h in (self.f.hcas()[0], self.f.hcas()[-1])) if not n.manager]
        if stopped:
            stopped[0].manager = 3
            self.log.append('manager starts on ' + stopped[0].slot)
        elif len(managers) > 1:
            self.log.append('manager stops on ' + managers[-1].slot)
            managers[-1].manager = None

    def do_silent(self):
        self.f.silent = {self.pick(self.up(self.f.hcas() + self.f.switches()))}
        self.quietly('silent %s' % self.f.silent)
        self.f.silent = set()

    def do_deadline(self):
        self.f.unasked = {self.pick(self.up(self.f.hcas() + self.f.switches()))}
        self.quietly('not asked %s' % self.f.unasked)
        self.f.unasked = set()

    def quietly(self, words):
        """Nothing can be looked from, if the leaf of the one who looks does not answer."""
        self.log.append(words)
        if len(self.f.seen(self.f.origin())) > 2:
            self.run(1, HOUR)

    def do_replace(self):
        slot = self.pick(sorted(self.f.off - set(self.guests)))
        if slot:
            self.number += 1
            self.f.off.discard(slot)
            host = self.f.nodes[slot].host()
            alone = host and len(self.f.hosts()[host]) == 1
            self.f.nodes[slot].replace('0x0b000000000%05x' % (16 * self.number),
                                       self.pick([None, 'spare%02d mlx5_0' % self.number if alone else None]))
            self.log.append('replaced %s' % slot)

    def do_rename(self):
        switches = self.up(self.f.switches())
        slot = self.pick(switches)
        self.number += 1
        self.f.nodes[slot].desc = 'switch-%d' % self.number
        self.log.append('renamed %s' % slot)

    def do_guest(self):
        """An adapter for a test, in one run or two."""
        host = self.pick([h for h in self.f.hosts() if len(self.f.hosts()[h]) == 1 and not h.startswith('guest')])
        self.number += 1
        slot = self.f.guest('guest%02d' % self.number, host)
        self.log.append('guest %s' % slot)
        self.run(self.pick((1, 2)), HOUR)
        self.guests[slot] = True
        self.f.off.add(slot)

    def do_retire(self):
        slot = self.pick(sorted(s for s in self.f.off - set(self.guests) if not self.f.nodes[s].is_switch()))
        if not slot or any(s not in self.f.off for s in self.f.hosts()[self.f.nodes[slot].host()]):
            return
        host = self.f.nodes[slot].host()
        names = {self.f.nodes[s].desc.split()[0] for s in self.f.hosts()[host]}
        self.story.retire(names)
        things = [('node', s) for s in self.f.hosts()[host]]
        things += [('manager', s) for _, s in things]
        self.story.site.oracle.retire(things)
        self.log.append('retired %s' % host)

    def run(self, times, every):
        for _ in range(times):
            before = len(self.story.site.wrong)
            self.story.run(1, every)
            self.story.site.wrong[before:] = ['%s   [%s]' % (w, '; '.join(self.log[-6:]))
                                              for w in self.story.site.wrong[before:]]

    def play(self):
        self.run(2, HOUR)
        for _ in range(EVENTS):
            self.do(self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0])
            self.run(self.rng.choice((1, 1, 2, 4)), self.pick(INTERVALS))
        self.f.off = set(self.guests)
        self.f.pulled = set()
        self.run(2, DAY)


def test(seed):
    topology = TOPOLOGIES[seed % len(TOPOLOGIES)]
    return 'a year of %s, seed %d' % (topology, seed), topology, lambda story: Year(story, seed).play()

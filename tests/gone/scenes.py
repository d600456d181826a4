# SPDX-License-Identifier: BSD-2-Clause
"""What happens to a fabric, one story each: the sentence of a test, and what is done at which run."""
import subprocess
import time

import fabrics
from fabrics import MASTER
from runs import Site, BAD

MINUTE, HOUR, DAY = 60, 3600, 86400
BEGAN = 1767225600  # 2026-01-01
SCENES = []


def scene(sentence, *topologies):
    def add(function):
        SCENES.extend((sentence + (' (%s)' % t if len(topologies) > 1 else ''), t, function) for t in topologies)
        return function
    return add


class Story:
    """A fabric, a state of it, and a clock."""

    def __init__(self, folder, topology):
        self.folder = folder
        self.fabric = fabrics.load(topology if ':' in topology else 'topologies/%s.net' % topology, folder)
        self.when, self.site, self.wrong = BEGAN, Site(self.fabric, folder), []
        self.sites = [self.site]

    def another(self, name):
        self.sites.append(Site(self.fabric, self.folder, name))
        return self.sites[-1]

    def run(self, times=1, every=HOUR, origin=None):
        for _ in range(times):
            self.when += every
            self.fabric.elect(origin)
            self.site.sweep(self.when, origin)
        return self.site

    def retire(self, subjects):
        with open(self.site.known, 'a', encoding='utf-8') as f:
            for s in subjects:
                f.write('retired "%s" %s jo "taken away"\n' % (
                    s, time.strftime('%Y-%m-%dT%H:%M', time.gmtime(self.when + 59))))

    def need(self, what, sentence):
        if not what:
            self.site.complain(sentence)

    def quiet(self, times, every):
        """Runs in which nobody is told anything."""
        for _ in range(times):
            self.run(1, every)
            self.need(self.site.status == 0 and not self.site.told,
                      'not silent: exit %s, %s' % (self.site.status, self.site.told))

    def complaints(self):
        return [w for s in self.sites for w in s.wrong]


ALL = ('two-level-small', 'three-level')


# ---- one thing goes, stays, comes back ----------------------------------------------------

def things(fabric):
    """One of each kind: (word, how it goes, how it comes back)"""
    def off(*slots):
        return lambda: fabric.off.update(slots), lambda: fabric.off.difference_update(slots)

    def pull(cable):
        return lambda: fabric.pulled.add(cable), lambda: fabric.pulled.discard(cable)

    trunks, hosts = fabric.trunks(), fabric.hcas()
    out = {'leaf': off(fabric.switches('leaf')[1]), 'spine': off(fabric.switches('spine')[1]),
           'cable': pull(trunks[len(trunks) // 2]), 'host': off(hosts[len(hosts) // 2]),
           'leaf of the manager': off(fabric.leaf_of(hosts[0])), 'host of the manager': off(hosts[0]),
           'host of the standby': off(hosts[-1]), 'both managers': off(hosts[0], hosts[-1])}
    if fabric.switches('core'):
        out['core'] = off(fabric.switches('core')[1])
    two = [h for h in fabric.hosts().values() if len(h) > 1]
    if two:
        out['one of two HCAs'] = off(two[0][1])
    return out


def come_and_go(story, steps):
    """Each of these goes, an hour apart; they stay; and come back in turn."""
    story.run(2)
    for go, _ in steps:
        go()
        story.run()
    story.run(3)
    for _, back in steps:
        back()
        story.run()
    story.run(2)
    story.need(not story.site.open and story.site.status == 0,
               'all is back, and open are %s, exit %s' % (list(story.site.open), story.site.status))


def two_hcas(story):
    for host in list(story.fabric.hosts())[2:12:3]:
        story.fabric.second_hca(host)
    return things(story.fabric)


@scene('each thing that goes is told, stays told, and is told when it is back', *ALL)
def alone(story):
    for steps in two_hcas(story).values():
        come_and_go(story, [steps])


@scene('the same of 36 leaves and 18 spines', 'ft-36x18')
def alone_large(story):
    all_of = two_hcas(story)
    for word in ('leaf', 'spine', 'cable', 'one of two HCAs'):
        come_and_go(story, [all_of[word]])


def pairs(topology):
    """Two things at a time: each pair is a test of its own."""
    words = ['leaf', 'spine', 'cable', 'host', 'leaf of the manager', 'both managers', 'one of two HCAs']
    words += ['core'] if topology == 'three-level' else []
    for i, a in enumerate(words):
        for b in words[i + 1:]:
            yield a, b


def pair(a, b):
    def story_of(story):
        all_of = two_hcas(story)
        come_and_go(story, [all_of[a], all_of[b]])
    return story_of


for _topology in ALL:
    for _a, _b in pairs(_topology):
        scene('%s and %s go, stay and come back (%s)' % (_a, _b, _topology), _topology)(pair(_a, _b))


@scene('two leaves, then two spines, one after the other', *ALL)
def several(story):
    f = story.fabric
    story.run(2)
    for slot in f.switches('leaf')[1:3]:
        f.off.add(slot)
        story.run(2)
    f.off.clear()
    story.run(2)
    for slot in f.switches('spine')[:1] + f.switches('spine')[-1:]:
        f.off.add(slot)
        story.run()
    f.off.clear()
    story.run(2)
    story.need(not story.site.open, 'all is back, and open are %s' % list(story.site.open))


# ---- hosts ------------------------------------------------------------------------------------

@scene('a host that starts anew is silent, whatever the interval of cron', 'two-level-small')
def reboots(story):
    f = story.fabric
    for every, missed in ((MINUTE, 10), (MINUTE, 59), (15 * MINUTE, 1), (15 * MINUTE, 4), (HOUR, 1), (DAY, 1)):
        story.run(2, every)
        f.off.add('node0007 mlx5_0')
        story.quiet(missed, every)
        f.off.clear()
        story.quiet(3, every)


@scene('a host that stays away is told once it was missed for an hour, at any interval', 'two-level-small')
def hosts_away(story):
    f = story.fabric
    for every, quiet in ((MINUTE, 60), (15 * MINUTE, 4), (HOUR, 1), (DAY, 1)):
        story.run(2, every)
        f.off.add('node0007 mlx5_0')
        story.quiet(quiet, every)
        story.run(1, every)
        story.need(story.site.status in (1, 2), 'exit %s' % story.site.status)
        story.run(2, every)
        f.off.clear()
        story.run(1, every)
        story.need(story.site.status == 0, 'it is back: exit %s' % story.site.status)


@scene('a rolling restart of all hosts is silent', 'two-level-small')
def rolling(story):
    managers = story.fabric.hcas()[0], story.fabric.hcas()[-1]
    story.run(2, 15 * MINUTE)
    for hca in story.fabric.hcas()[1:-1]:
        story.fabric.off = {hca}
        story.quiet(1, 15 * MINUTE)
    for hca in managers:  # of managers another test tells
        story.fabric.off = {hca}
        story.run(1, 15 * MINUTE)
        story.need(not [t for t in story.site.told if t[1] == 'gone.host'], 'told: %s' % story.site.told)
    story.fabric.off = set()
    story.run(1, 15 * MINUTE)
    story.quiet(2, 15 * MINUTE)


@scene('a restart of the hosts of a rack, one rack after the other, is silent', 'two-level-small')
def rolling_racks(story):
    f = story.fabric
    for hca in f.hcas()[0], f.hcas()[-1]:
        f.nodes[hca].manager = None
    f.nodes['leaf01'].manager = MASTER
    story.run(2, 15 * MINUTE)
    for leaf in f.switches('leaf')[1:]:
        f.off = set(f.behind(leaf))
        story.quiet(2, 15 * MINUTE)
    f.off = set()
    story.quiet(3, 15 * MINUTE)


@scene('a rack that is powered down is told after an hour, as critical', 'two-level-small')
def rack(story):
    f = story.fabric
    story.run(2)
    f.off.update(f.behind('leaf03'))
    story.quiet(1, 15 * MINUTE)
    story.quiet(1, 15 * MINUTE)
    story.run(2)
    story.need(story.site.status == 2, 'a quarter of all hosts: exit %s' % story.site.status)
    f.off.clear()
    story.run(2)


@scene('one host of 648 is a warning; two leaves of them are critical', 'ft-36x18')
def rating(story):
    f = story.fabric
    story.run(1)
    f.off.update(f.behind('leaf07')[:1])
    story.run(2)
    story.need(story.site.status == 1, 'one host: exit %s' % story.site.status)
    f.off.update(f.behind('leaf07') + f.behind('leaf08'))
    story.run(2)
    story.need(story.site.status == 2, 'all hosts of two leaves: exit %s' % story.site.status)
    f.off.clear()
    story.run(1)
    story.need(story.site.status == 0, 'all are back: exit %s' % story.site.status)


@scene('one of two HCAs is told at once', 'two-level-small')
def half_a_host(story):
    second = story.fabric.second_hca('node0005')
    story.run(2, MINUTE)
    story.fabric.off.add(second)
    story.run(1, MINUTE)
    story.need(story.site.status == 1, 'exit %s' % story.site.status)
    story.fabric.off.add('node0005 mlx5_0')
    story.run(4, 30 * MINUTE)
    story.fabric.off.clear()
    story.run(2)


# ---- what is no loss ------------------------------------------------------------------------------

@scene('an adapter that was there in two runs is not expected', 'two-level-small')
def test_adapter(story):
    f = story.fabric
    story.run(2)
    new = f.second_hca('node0003')
    f.nodes[new].desc = 'tester mlx5_0'
    f.nodes[new].slot = new
    story.run(2)
    f.off.add(new)
    story.quiet(3, HOUR)


@scene('what came later is expected once three runs have seen it', 'two-level-small')
def grown(story):
    story.run(2)
    new = story.fabric.second_hca('node0003')
    story.run(3)
    story.fabric.off.add(new)
    story.run(2)
    story.need(story.site.status == 1, 'exit %s' % story.site.status)


@scene('a device that does not answer is not gone', *ALL)
def silence(story):
    f = story.fabric
    story.run(2)
    for slot in (f.switches('leaf')[1], f.switches('spine')[0], f.hcas()[5]):
        f.silent = {slot}
        story.run(3)
        story.need(not [t for t in story.site.told if t[1] in ('gone.switch', 'gone.host')], str(story.site.told))
        story.need(story.site.status == 3, '%s is silent: exit %s' % (slot, story.site.status))
    f.silent = set()
    story.run(2)


@scene('what a deadline left out is not gone', *ALL)
def deadline(story):
    f = story.fabric
    story.run(2)
    for slot in (f.switches('leaf')[-1], f.switches('spine')[0], f.hcas()[5]):
        f.unasked = {slot}
        story.run(3)
        story.need(story.site.status == 3, '%s is not asked: exit %s' % (slot, story.site.status))
    f.unasked = set()
    story.run(1)
    story.quiet(2, HOUR)


@scene('beside a silent device what is gone is told, and what is back', *ALL)
def beside_silence(story):
    f = story.fabric
    f.silent = {f.hcas()[1]}
    story.run(3)
    f.off.add(f.switches('leaf')[-1])
    story.run(3)
    story.need(story.site.status == 2, 'exit %s' % story.site.status)
    f.off.clear()
    story.run(2)
    story.need(not story.site.open, 'it is back, and open are %s' % list(story.site.open))


# ---- replaced, moved, retired -------------------------------------------------------------------------

@scene('a part that is replaced after three days is not gone for ever', 'two-level-small')
def replaced(story):
    f = story.fabric
    story.run(2)
    for number, (slot, desc) in enumerate((('node0006 mlx5_0', None), ('node0006 mlx5_0', 'spare17 mlx5_0'),
                                           ('leaf03', None), ('spine02', 'Quantum Mellanox Technologies'))):
        f.off.add(slot)
        story.run(4, 18 * HOUR)
        f.off.clear()
        f.nodes[slot].replace('0x0b000000000%05x' % (number * 16), desc)
        story.run(1)
        story.need(not story.site.open, '%s is replaced, and open are %s' % (slot, list(story.site.open)))
        story.quiet(2, HOUR)
        story.quiet(4, DAY)


@scene('a new name is no loss', 'two-level-small')
def renamed(story):
    story.run(2)
    story.fabric.nodes['leaf02'].desc = 'rack7-leaf2'
    story.fabric.nodes['node0004 mlx5_0'].desc = 'gpu4 mlx5_0'
    story.run(1)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))
    story.quiet(3, HOUR)


def moved_cables(story):
    """Cases of gone.* that are told, each with its severity and words"""
    return [(c['severity'], c['check'], c['message']) for c in story.site.report['cases']
            if c['check'].startswith('gone.') and c['state'] != 'gone']


@scene('a host that is at another port is one case, until it is moved back', 'two-level-small')
def moved_host(story):
    f = story.fabric
    f.nodes['leaf03'].num_ports += 2
    story.run(2)
    old = f.cables_of('node0002 mlx5_0')[0]
    new = frozenset((('node0002 mlx5_0', 1), ('leaf03', 7)))
    f.move(old, *new)
    story.run(4)
    got = moved_cables(story)
    story.need(len(got) == 1 and got[0][0] == 'warning' and 'moved' in got[0][2], 'cases are %s' % got)
    f.move(new, *old)
    story.run(1)
    story.need(not moved_cables(story), 'it is back: %s' % moved_cables(story))
    story.quiet(2, HOUR)


@scene('two uplinks that are exchanged are no loss', 'two-level-small')
def exchanged(story):
    f = story.fabric
    story.run(2)
    one, two = f.cables_of('leaf01')[-1], f.cables_of('leaf02')[-2]
    ends = [e for c in (one, two) for e in sorted(c)]
    f.move(one, ends[0], ends[3])
    f.move(two, ends[2], ends[1])
    story.run(2)
    got = [c for c in story.site.report['cases'] if c['severity'] in BAD]
    story.need(1 <= len(got) <= 2, '%d cases of %s' % (len(got), [c['check'] for c in got]))
    f.move(frozenset((ends[0], ends[3])), ends[0], ends[1])
    f.move(frozenset((ends[2], ends[1])), ends[2], ends[3])
    story.run(1)
    story.quiet(2, HOUR)


@scene('half of the cluster is retired, and what comes back of it is expected again', 'two-level-small')
def retired(story):
    f = story.fabric
    story.run(2)
    out = ['leaf03', 'leaf04'] + f.behind('leaf03') + f.behind('leaf04')
    f.nodes[f.hcas()[-1]].manager = None
    story.site.oracle.things.pop(('manager', f.hcas()[-1]))
    f.off.update(out)
    story.run(3)
    story.need(story.site.status == 2, 'exit %s' % story.site.status)
    story.retire(['leaf03', 'leaf04'])
    story.site.oracle.retire([('node', s) for s in out] + [('manager', f.hcas()[-1])])
    story.run(1)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))
    story.quiet(3, DAY)
    f.off.difference_update(['leaf03'] + f.behind('leaf03'))
    story.run(2)
    f.off.add('leaf03')
    story.run(1)
    story.need(story.site.status == 2, 'it came back and is gone again: exit %s' % story.site.status)


@scene('a host that is retired is not told, and its neighbour is', 'two-level-small')
def retired_host(story):
    f = story.fabric
    story.run(2)
    f.off.update(('node0009 mlx5_0', 'node0010 mlx5_0'))
    story.run(3)
    story.retire(['node0009'])
    story.site.oracle.retire([('node', 'node0009 mlx5_0')])
    story.run(2)
    story.need(set(story.site.open) == {('host', 'node0010')}, 'open are %s' % list(story.site.open))


# ---- several states, several places to look from ------------------------------------------------------

@scene('two hosts with a cron and a state each say the same', 'two-level-small')
def two_states(story):
    f, first, second = story.fabric, story.site, None
    second = story.another('other')
    for hour in range(40):
        when = BEGAN + hour * 15 * MINUTE
        f.off = {6: {'leaf02'}, 20: {'node0011 mlx5_0'}}.get(hour - hour % 2, f.off)
        if hour in (12, 34):
            f.off = set()
        f.elect()
        first.sweep(when)
        if hour % 3 == 0:
            second.sweep(when + 5, f.hcas()[-2])
    story.need(not first.open and first.status == 0, 'open are %s' % list(first.open))
    same = {r: i for r, i in first.ids.items() if second.ids.get(r, i) != i}
    story.need(not same, 'other IDs in the other state: %s' % same)


def island(story, leaf, far):
    """The uplinks of this leaf are pulled, and a host of it looks; far: something far that was gone before."""
    f = story.fabric
    inside = f.behind(leaf)[1]
    story.run(2, origin=inside)
    f.off.add(far)
    story.run(3, origin=inside)
    before = dict(story.site.open)
    cut = [c for c in f.trunks() if any(s == leaf for s, _ in c)]
    f.pulled.update(cut)
    for _ in range(3):
        story.run(origin=inside)
        leads = [r for r in story.site.open if r[0] in ('cut', 'switch', 'part')]
        story.need(story.site.status in (2, 3), 'exit %s' % story.site.status)
        story.need([r[0] for r in leads] == ['cut'], 'the cut is %s' % leads)
        story.need(not [t for t in story.site.told if t[0] == 'gone'], 'something ends: %s' % story.site.told)
        story.need(not [t for t in story.site.told if t[1] in ('gone.host', 'gone.switch')], str(story.site.told))
    f.pulled.clear()
    story.run(origin=inside)
    story.need(story.site.open == before, 'healed: open are %s, and were %s' % (story.site.open, before))
    story.need([t[:2] for t in story.site.told] == [('gone', 'gone.cut')], 'a storm: %s' % story.site.told)
    f.off.clear()
    story.run(origin=inside)
    story.need(not story.site.open and story.site.status == 0, 'open are %s' % list(story.site.open))


@scene('a leaf whose uplinks are pulled, seen from it, is cut off: nothing far ends or is forgotten', *ALL)
def island_inside(story):
    island(story, 'leaf01', story.fabric.behind('leaf04')[1] if 'spine03' not in story.fabric.nodes
           else story.fabric.behind('leaf07')[1])


@scene('the same leaf, seen from elsewhere, is gone', *ALL)
def island_outside(story):
    f = story.fabric
    origin = f.behind('leaf04')[1]
    story.run(2, origin=origin)
    f.pulled.update(c for c in f.trunks() if any(s == 'leaf01' for s, _ in c))
    story.run(2, origin=origin)
    story.need(('switch', 'leaf01') in story.site.open, 'open are %s' % list(story.site.open))
    f.pulled.clear()
    story.run(1, origin=origin)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))
    story.quiet(2, HOUR)


@scene('a pod whose cables to the core are pulled, seen from either half', 'three-level')
def pod(story):
    f = story.fabric
    inside = {'leaf01'}
    while True:  # what is connected without the core
        more = {s for c in f.trunks() for s, _ in c if any(t in inside for t, _ in c) and not s.startswith('core')}
        if more <= inside:
            break
        inside |= more
    cut = [c for c in f.trunks() if any(s.startswith('core') for s, _ in c) and any(s in inside for s, _ in c)]
    outside = next(h for h in f.hcas() if f.leaf_of(h) not in inside)
    for origin in (f.behind('leaf01')[1], outside):
        story.site = story.another('from-' + origin.split()[0])
        story.run(2, origin=origin)
        f.pulled.update(cut)
        story.run(3, origin=origin)
        story.need(story.site.status in (2, 3), 'exit %s' % story.site.status)
        story.need([r[0] for r in story.site.open if r[0] in ('cut', 'switch')] == ['cut'],
                   'from %s: open are %s' % (origin, list(story.site.open)))
        f.pulled.clear()
        story.run(1, origin=origin)
        story.need(not story.site.open, 'healed: open are %s' % list(story.site.open))
        story.need([t[:2] for t in story.site.told] == [('gone', 'gone.cut')], 'a storm: %s' % story.site.told)


# ---- more and more ------------------------------------------------------------------------------------------

@scene('a leaf that is unplugged step by step is never told well, nor less severe', 'two-level-small', 'ft-36x18')
def step_by_step(story):
    f = story.fabric
    story.run(2)
    for cable in [c for c in f.trunks() if any(s == 'leaf02' for s, _ in c)][:8 if len(f.nodes) > 99 else 2]:
        f.pulled.add(cable)
        story.run(1, 10 * MINUTE)
        story.need(story.site.status == 2, 'exit %s' % story.site.status)
        story.need(not [t for t in story.site.told if t[0] == 'gone'], 'told: %s' % story.site.told)
    f.off.add('leaf02')
    story.run(2)
    story.need(story.site.status == 2 and ('switch', 'leaf02') in story.site.open, 'open: %s' % list(story.site.open))
    story.need(len([c for c in story.site.report['cases'] if c['severity'] in BAD]) == 1, 'it is not one case')
    f.off.clear()
    f.pulled.clear()
    story.run(1)
    story.need(not story.site.open and story.site.status == 0, 'open are %s' % list(story.site.open))


@scene('a manager that is stopped is told, while its host is there', 'two-level-small')
def manager_stopped(story):
    f = story.fabric
    story.run(2)
    standby, master = f.nodes[f.hcas()[-1]], f.nodes[f.hcas()[0]]
    standby.manager = None
    story.run(2)
    story.need(('manager', standby.slot) in story.site.open, 'the standby: open are %s' % list(story.site.open))
    standby.manager = fabrics.STANDBY
    story.run(2)
    master.manager, standby.manager = None, MASTER
    story.run(2)
    story.need(('manager', master.slot) in story.site.open, 'the master: open are %s' % list(story.site.open))
    master.manager = fabrics.STANDBY
    story.run(2)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))


@scene('both managers are lost, one with its host, and then the other on a host that is there', 'two-level-small')
def managers_in_turn(story):
    f = story.fabric
    master, standby = f.hcas()[0], f.hcas()[-1]
    story.run(2)
    f.off.add(master)
    story.run(3)
    f.nodes[standby].manager = None
    story.run(2)
    story.need(('manager', standby) in story.site.open, 'the second is not told: open are %s' % list(story.site.open))
    story.need(story.site.status == 2, 'nobody governs: exit %s' % story.site.status)
    f.off.clear()
    story.run(2)
    story.need(('manager', standby) in story.site.open, 'open are %s' % list(story.site.open))


@scene('a host whose HCAs went one after the other has the hour that any host has', 'two-level-small')
def one_after_the_other(story):
    f = story.fabric
    second = f.second_hca('node0005')
    story.run(2)
    f.off.add(second)
    story.run(4)
    f.off.add('node0005 mlx5_0')
    story.run(1, MINUTE)
    story.need(not [t for t in story.site.told if t[1] == 'gone.host'], 'told after one run: %s' % story.site.told)
    story.need(('hca', second) in story.site.open, 'as more is gone, open are %s' % list(story.site.open))
    story.run(2)
    story.need(('host', 'node0005') in story.site.open, 'open are %s' % list(story.site.open))


@scene('behind a silent switch no other is gone for one cable that was pulled before', 'two-level-small')
def pulled_and_silent(story):
    f = story.fabric
    story.run(2)
    f.pulled.add(next(c for c in f.cables_of('leaf01') if any(s == 'spine01' for s, _ in c)))
    story.run(2)
    f.silent = {'spine02'}
    story.run(1)
    story.need(('switch', 'spine01') not in story.site.open, 'told: %s' % story.site.told)
    story.need(not [t for t in story.site.told if t[0] == 'gone'], 'something ends: %s' % story.site.told)
    f.silent = set()
    story.run(1)


@scene('a host that stays away for a month is forgotten; a switch and an HCA are not', 'two-level-small')
def forgotten(story):
    f = story.fabric
    second = f.second_hca('node0005')
    story.run(2)
    f.off.update(('node0010 mlx5_0', second))
    story.run(2)
    f.off.add('spine02')
    story.run(7, 7 * DAY)
    story.need(set(story.site.open) == {('hca', second), ('switch', 'spine02')}, 'open are %s' % list(story.site.open))
    f.off.clear()
    story.run(1)
    story.quiet(2, HOUR)


@scene('a leaf that is gone is told for as long as it takes, and what was behind it is expected with it', *ALL)
def leaf_for_long(story):
    f = story.fabric
    leaf = f.switches('leaf')[-1]
    story.run(2)
    f.off.add(leaf)
    story.run(2)
    for _ in range(8):
        story.run(1, 7 * DAY)
        story.need(story.site.status == 2, 'after %d days: exit %s' % ((story.when - BEGAN) // DAY, story.site.status))
    f.off.clear()
    f.off.add(f.behind(leaf)[0])
    story.run(3)
    story.need(story.site.status > 0, 'a host behind it did not come back: exit %s' % story.site.status)


@scene('a manager that stopped stays told while the master is gone', 'two-level-small')
def managers_gone(story):
    f = story.fabric
    master, standby = f.hcas()[0], f.hcas()[-1]
    story.run(2)
    f.nodes[standby].manager = None
    story.run(2)
    f.off.add(f.leaf_of(master))
    story.run(2)
    f.off.clear()
    story.run(1)
    story.need(set(story.site.open) == {('manager', standby)}, 'open are %s' % list(story.site.open))


def gone_of(report):
    """{check and thing: ID} of what counts"""
    return {(c['check'], c['subject']['node_desc'], c['subject']['port']): c['id'] for c in report['cases']
            if c['check'].startswith('gone.') and c['severity'] in BAD and c['state'] != 'gone'}


@scene('other commands say the same of it, or nothing, and end nothing', 'two-level-small')
def commands(story):
    f = story.fabric
    story.run(2)
    f.off.update(('leaf03', 'node0005 mlx5_0'))
    f.pulled.add(f.cables_of('spine01')[0])
    story.run(3)
    mine = gone_of(story.site.report)
    story.need(len(mine) == 3, 'open are %s' % mine)
    for command in ('ports', 'fattree', 'counters', 'cables', 'sm', 'all'):
        story.when += HOUR
        report = story.site.other(command, story.when)
        if not report:
            continue
        got = gone_of(report)
        if command in ('ports', 'fattree', 'all'):
            story.need(got == mine, '%s has %s, not %s' % (command, got, mine))
        else:
            story.need(not got, '%s judges %s' % (command, got))
        story.need(not [c for c in report['cases'] if c['state'] == 'gone' and c['check'].startswith('gone.')],
                   '%s ends it' % command)
    story.run(1)
    story.need(not story.site.told, 'after them is told: %s' % story.site.told)
    f.off.clear()
    f.pulled.clear()
    story.run(2)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))


@scene('what is accepted does not count, and counts again without its line', 'two-level-small')
def accepted(story):
    story.run(2)
    story.fabric.off.add('leaf03')
    story.run(2)
    case = next(c for c in story.site.report['cases'] if c['check'] == 'gone.switch')
    with open(story.site.known, 'a', encoding='utf-8') as f:
        f.write('case %s:critical:gone.switch 2099-12-31 jo "a new one is ordered"\n' % case['id'])
    story.run(2)
    story.need(story.site.status == 0, 'accepted: exit %s' % story.site.status)
    open(story.site.known, 'w', encoding='utf-8').close()
    story.run(1)
    story.need(story.site.status == 2, 'without its line: exit %s' % story.site.status)


@scene('a sweep of another rail between is another fabric, and ends nothing', 'two-level-small')
def rails(story):
    """The second rail is the same once more, with other GUIDs, and no cable to the first."""
    import copy
    f = story.fabric
    for node in list(f.nodes.values()):
        twin = copy.copy(node)
        twin.slot = twin.desc = node.slot + 'b' if node.is_switch() else node.slot.replace('mlx5_0', 'mlx5_1')
        twin.guid = '0x03' + node.guid[4:]
        twin.guids = {twin.guid}
        f.nodes[twin.slot] = twin
    names = {n.guid[4:]: n.slot for n in f.nodes.values() if n.guid.startswith('0x03')}
    f.cables |= {frozenset((names[f.nodes[s].guid[4:]], p) for s, p in c) for c in f.cables}
    first, second = f.hcas()[0], f.hcas()[1]
    other = Site(f, story.folder)   # the same directory
    other.snap += '2'
    story.sites.append(other)
    for number in range(12):
        story.when += HOUR
        if number in (4, 5, 6):
            f.off.add('leaf02')
        else:
            f.off.clear()
        story.site.sweep(story.when, first)
        other.sweep(story.when + 60, second)
        story.need(other.status == 0, 'of the second rail: exit %s' % other.status)
    story.need(not story.site.open, 'open are %s' % list(story.site.open))


def unpack(story):
    """A state that 0.3.0 left: five runs of this fabric, an hour apart, from BEGAN on."""
    subprocess.run(['sh', '-c', 'zstd -dc "$1" | tar -C "$2" -x', 'sh', 'tests/gone/state-0.3.0.tar.zst',
                    story.folder], check=True)


@scene('a state of 0.3.0 goes on: what was missing before is told once, in one case', 'two-level-small')
def taken_over(story):
    """It saw the fabric whole three times, and twice without leaf03 and node0005."""
    f, site = story.fabric, story.site
    unpack(story)
    site.excused = {'earlier'}
    story.when += 5 * HOUR
    f.off.update(('leaf03', 'node0005 mlx5_0'))
    story.run()
    bad = [(c['check'], c['severity'], c['state']) for c in site.report['cases'] if c['severity'] in BAD]
    story.need(bad == [('gone.earlier', 'warning', 'new')], 'cases are %s' % bad)
    story.need('leaf03' in str(site.report['findings']), 'leaf03 is not named')
    story.run(3)
    story.need(not site.told, 'told again: %s' % site.told)
    f.off.add('spine02')
    story.run(1)
    story.need(site.status == 2, 'what goes later: exit %s' % site.status)
    f.off.clear()
    story.run(4)
    story.need(site.status == 0, 'all is back: exit %s' % site.status)
    f.off.add('leaf03')
    story.run(1)
    story.need(site.status == 2, 'what came back is expected: exit %s' % site.status)


@scene('what goes between the last run of 0.3.0 and the first of now is told', 'two-level-small')
def gone_between(story):
    f, site = story.fabric, story.site
    unpack(story)
    site.excused = {'earlier', 'switch', 'host'}
    story.when += 5 * HOUR
    f.off.update(('leaf03', 'node0005 mlx5_0', 'leaf04'))
    story.run()
    bad = [c for c in site.report['cases'] if c['severity'] in BAD]
    story.need(len(bad) in (1, 2), 'cases are %s' % [c['check'] for c in bad])
    story.need('leaf04' in str([c['message'] for c in bad] + [site.report['findings'][i] for c in bad
                                                            for i in c['findings']]), 'leaf04 is not named')


@scene('a spine that is gone stays told when the last other one goes, too', 'two-level-small')
def last_spine(story):
    """Also where the one cable that is still looked at was pulled before the spine went."""
    f = story.fabric
    cable = next(c for c in f.cables_of('leaf01') if any(s == 'spine02' for s, _ in c))
    for before in (set(), {cable}):
        story.run(2)
        f.pulled = before
        story.run(2)
        f.off.add('spine02')
        story.run(2)
        f.off.add('spine01')
        f.pulled = set()
        story.run(2)
        told = {r[1] for r in story.site.open}
        unseen = str([c['message'] for c in story.site.report['cases'] if c['check'] in ('gone.unseen', 'gone.cut')])
        story.need('spine02' in told or 'spine02' in unseen, 'spine02 vanished: open are %s' % told)
        f.off.clear()
        story.run(1)
        story.need(not story.site.open and story.site.status == 0, 'all is back: %s' % story.site.told)

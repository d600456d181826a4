# SPDX-License-Identifier: BSD-2-Clause
"""What a state directory must say at each run, of what is there no more: told by what was done to the fabric.

It was written from the words of the manual, apart from the code.  A root is a finding that leads: of what is gone
itself, not of what lies behind it.  Of a run it says which roots must be there and how severe, and which may be there:
where several switches are gone that were connected, it cannot be known from outside which of them died.
"""
HOUR = 3600
FORGET = 30 * 24 * HOUR     # hosts that stay away so long are dropped, nothing else is
RUNS = 3        # so many runs make a device expected
EITHER = ('warning', 'critical')


class Thing:
    def __init__(self, expected):
        self.runs, self.expected, self.last, self.retired = 0, expected, None, None
        self.away, self.vague = None, False  # since when, but for runs that could not look; about to be forgotten
        self.missed, self.plain = [], []  # runs that did not see it, and those of them in which nothing hid it

    def note(self, is_there, when):
        if is_there:
            self.runs += 1
            self.last, self.missed, self.plain, self.retired = when, [], [], None
            self.expected = self.expected or self.runs >= RUNS
            self.vague = self.vague and self.runs < RUNS
        else:
            self.missed.append(when)

    def is_wanted(self):
        return self.expected and not self.retired


def is_over(times):
    """Two runs at least an hour apart: a reboot takes less."""
    return bool(times) and times[-1] - times[0] >= HOUR


class Oracle:
    """The memory of one state directory."""

    def __init__(self, fabric):
        self.fabric, self.things, self.runs = fabric, {}, 0
        self.must, self.may = {}, {}

    def retire(self, keys):
        for key in keys:
            if key in self.things and self.things[key].missed:
                self.things[key].retired = True

    def missing(self):
        return [k for k, t in self.things.items() if t.missed and t.is_wanted()]

    # ---- a run ----

    def run(self, when, seen):
        """(must, may): roots, and the severities that each can have."""
        f = self.fabric
        managers = {s for s in seen if f.nodes[s].manager}
        there = {('node', s) for s in seen} | {('manager', s) for s in managers} | {
            ('cable', c) for c in f.cables if f.is_up(c) and all(s in seen for s, _ in c)}
        self.connect()
        looked = self.looked(seen)
        for key in there:
            self.things.setdefault(key, Thing(self.runs == 0))
        for key, thing in self.things.items():
            if key in there or looked is None or key in looked:
                thing.note(key in there, when)
        self.runs += 1
        self.connect()
        before = set(self.must) | set(self.may)
        self.must, self.may = {}, {}
        self.lost = {k[1] for k, t in self.things.items() if k[0] == 'node' and k not in there and t.is_wanted()}
        self.hidden = set()  # what lies behind a switch that is gone
        self.judge_parts(seen, before)
        self.forget(when)
        self.judge_hosts(seen, when)
        self.judge_cables(there, seen)
        self.judge_managers(there, seen)
        return self.must, self.may

    def looked(self, seen):
        """The places at which a run looked; None: all of them.  What silence or a deadline hides is not one."""
        f = self.fabric
        hidden = f.silent | f.unasked
        if not hidden:
            return None
        behind = self.reach(hidden & set(f.nodes), lambda s: s not in seen)
        return {k for k in self.things if not (
            k[1] in behind if k[0] != 'cable' else any(s in behind for s, _ in k[1]))}

    def connect(self):
        """By all that is expected: which device was next to which."""
        self.graph = {}
        for (kind, cable), thing in self.things.items():
            if kind == 'cable' and thing.expected:
                a, b = (s for s, _ in cable)
                self.graph.setdefault(a, set()).add(b)
                self.graph.setdefault(b, set()).add(a)

    def reach(self, start, through):
        found, todo = set(start), list(start)
        while todo:
            for other in self.graph.get(todo.pop(), ()):
                if other not in found and through(other):
                    found.add(other)
                    todo.append(other)
        return found

    # ---- what is gone ----

    def judge_parts(self, seen, before):
        """Switches, each with what hangs on it only; several that are connected are one part."""
        f = self.fabric
        hidden = (f.silent | f.unasked) & set(f.nodes)
        self.unseen = self.reach(hidden, lambda s: s not in seen) if hidden else set()
        left = {s for s in self.lost if f.nodes[s].is_switch()}
        while left:
            first = left.pop()
            part = self.reach([first], lambda s: s in self.lost)
            left -= part
            self.hidden |= part
            switches = {s for s in part if f.nodes[s].is_switch()}
            if part & self.unseen:
                # what was looked at may be told; a cable that was pulled before says nothing of a switch
                self.may.update({('switch', s): ('critical',) for s in switches if ('switch', s) in before or any(
                    c not in f.pulled and any(o in seen for o, _ in c) for c in f.cables_of(s))})
                continue
            # a cable that was pulled before says nothing of a switch
            edge = {s for s in switches if any(c not in f.pulled and any(o in seen for o, _ in c) for c in f.cables_of(s))}
            if len(switches) == 1:
                self.must[('switch', first)] = ('critical',)
                continue
            # one of them leads, or each that somebody was connected to, or the whole part is cut off
            self.may.update({(kind, s): ('critical',) for s in switches for kind in ('switch', 'cut')})
            self.must[('part', frozenset(switches), frozenset(edge))] = ('critical',)

    def forget(self, when):
        """Hosts that stay away; where nobody could look, or a switch hid it, a host does not."""
        hosts = {}
        for (kind, slot), thing in self.things.items():
            if kind == 'node' and not self.fabric.nodes[slot].is_switch():
                hosts.setdefault(self.fabric.nodes[slot].host(), []).append((slot, thing))
                if slot not in self.lost or slot in self.hidden or slot in self.unseen:
                    thing.away = when
        for mine in hosts.values():
            # whether the time behind a dead switch counts, once that is back, nobody has said
            lost = [(slot, thing) for slot, thing in mine if slot in self.lost]
            if any(slot not in self.lost or when - thing.last <= FORGET for slot, thing in mine if thing.is_wanted()):
                continue
            for slot, thing in lost:
                if thing.vague and when - thing.away > FORGET:
                    thing.expected = False
                    self.lost.discard(slot)
                elif slot not in self.hidden and slot not in self.unseen:
                    thing.vague, thing.runs = True, 0  # the run that notes it may still tell of it

    def judge_hosts(self, seen, when):
        f, gone, hosts = self.fabric, set(), {}
        for (kind, slot), thing in self.things.items():
            if kind == 'node' and not f.nodes[slot].is_switch() and thing.is_wanted():
                hosts.setdefault(f.nodes[slot].host(), []).append(slot)
                if slot in self.lost and slot not in self.hidden and slot not in self.unseen:
                    thing.plain.append(when)
        for host, slots in hosts.items():
            lost = [s for s in slots if s in self.lost and s not in self.unseen]
            plain = [s for s in lost if s not in self.hidden]
            things = [self.things[('node', s)] for s in lost]
            if lost and len(lost) == len(slots):
                # what was gone already may lead, where more is gone now
                self.may.update({('hca', s): EITHER for s in plain if len(slots) > 1})
                if all(is_over(t.missed) for t in things) and (plain or all(t.plain for t in things)):
                    sure = len(plain) == len(lost) and all(is_over(t.plain) and not t.vague for t in things)
                    (self.must if sure else self.may)[('host', host)] = EITHER
                    if sure:
                        gone.add(host)
            elif any(s in seen for s in slots):
                self.must.update({('hca', s): ('warning',) for s in plain if not self.things[('node', s)].vague})
                self.may.update({('hca', s): ('warning',) for s in plain if self.things[('node', s)].vague})
            else:
                self.may.update({('hca', s): EITHER for s in plain})
        self.rate_hosts(seen, gone, hosts)

    def rate_hosts(self, seen, gone, hosts):
        """A tenth of all, or all of two leaves; whether one behind a dead switch counts nobody has said."""
        f = self.fabric
        if not gone:
            return
        down = {f.nodes[s].host() for s in self.lost if not f.nodes[s].is_switch()}
        whole = [leaf for leaf in f.switches() if leaf in seen and f.behind(leaf) and
                 all(f.nodes[s].host() in down for s in f.behind(leaf))]
        everyone = len({f.nodes[s].host() for (k, s), t in self.things.items()
                        if k == 'node' and t.expected and not f.nodes[s].is_switch()})
        for host in gone:
            if 10 * len(gone) >= everyone:
                self.must[('host', host)] = ('critical',)
            elif 10 * len(down) < len(hosts) and len(whole) < 2:
                self.must[('host', host)] = ('warning',)

    def judge_cables(self, there, seen):
        f = self.fabric
        used = {end: c for c in f.cables if f.is_up(c) for end in c}
        for key, thing in self.things.items():
            if key[0] != 'cable' or key in there or not thing.is_wanted() or not thing.missed:
                continue
            ends = [s for s, _ in key[1]]
            if not all(s in seen for s in ends) or any(s in self.unseen for s in ends):
                continue
            if key[1] not in f.cables or any(used.get(e, key[1]) != key[1] for e in key[1]):
                self.may[key] = ('info', 'warning', 'critical')  # moved: not judged here
            elif all(f.nodes[s].is_switch() for s in ends):
                self.must[key] = ('critical',)
            else:
                self.may[key] = EITHER

    def judge_managers(self, there, seen):
        for key, thing in self.things.items():
            if key[0] != 'manager' or key in there or not thing.is_wanted() or not thing.missed:
                continue
            slot = key[1]
            if slot in seen:
                others = any(self.fabric.nodes[s].manager == 4 for s in seen)
                self.must[key] = ('warning',) if others else EITHER
            elif slot not in self.hidden and slot not in self.unseen:
                self.may[key] = EITHER  # its host leads, once that is gone


def since(oracle, root):
    """When a thing was seen last: of a root."""
    kind, what = root[:2]
    key = {'host': 'node', 'switch': 'node', 'hca': 'node', 'cut': 'node'}.get(kind, kind)
    if kind == 'host':
        return {t.last for (k, s), t in oracle.things.items() if k == 'node' and isinstance(s, str) and
                s.split()[0] == what}
    return {oracle.things[(key, what)].last}

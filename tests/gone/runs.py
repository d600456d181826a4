# SPDX-License-Identifier: BSD-2-Clause
"""A state directory, with the runs that use it, and what is wrong with what they say."""
import json
import os
import subprocess
import time

from oracle import Oracle, since

IBCHECK = os.path.abspath(os.environ.get('IBCHECK', 'build/ibcheck'))
# what the snapshots of this test have no answers for; with the rest of them a verdict is complete
CHECKS = '-counters,-fabric.firmware,-fabric.psid,-sm.sa-silent,-sm.sa-slow,-sm.no-standby'
BAD = ('warning', 'critical')
TOLD = ('new', 'worse', 'back')


def stamp(when):
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(when))


class Site:
    def __init__(self, fabric, folder, name='state', command='all'):
        self.fabric, self.folder, self.command = fabric, folder, command
        self.state, self.snap = os.path.join(folder, name), os.path.join(folder, name + '.snap')
        self.hook, self.got = os.path.join(folder, name + '.hook'), os.path.join(folder, name + '.got')
        self.known = os.path.join(folder, name + '.known')
        with open(self.hook, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\ncat >>%s\necho >>%s\n' % (self.got, self.got))
        os.chmod(self.hook, 0o755)
        open(self.known, 'w', encoding='utf-8').close()
        self.oracle = Oracle(fabric)
        self.ids, self.all_ids, self.open, self.wrong, self.runs = {}, {}, {}, [], 0
        self.report, self.status, self.told = None, None, []

    def args(self):
        return [IBCHECK, self.command, '--source', self.snap, '--state', self.state, '--hook', self.hook,
                '--known', self.known, '--config', '/dev/null', '--checks', CHECKS]

    def ibcheck(self, args):
        return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              timeout=120, check=False, env=dict(os.environ, TZ='UTC'))

    def complain(self, words):
        self.wrong.append('run %d, %s: %s' % (self.runs, stamp(self.when), words))

    # ---- a run ----

    def other(self, command, when, origin=None):
        """A run of another command with this state, that is not judged by the oracle: its report, or None"""
        self.fabric.snapshot(self.snap, when, origin)
        args = [IBCHECK, command, '--source', self.snap, '--state', self.state, '--config', '/dev/null',
                '--known', self.known]
        got = self.ibcheck(args + ['-f', 'json'])
        try:
            return json.loads(got.stdout)
        except ValueError:
            self.complain('%s: no report: %r' % (command, got.stderr[:300]))
            return None

    def sweep(self, when, origin=None):
        """One run of cron; what is wrong with it is added to .wrong."""
        self.when, self.runs = when, self.runs + 1
        self.seen = self.fabric.snapshot(self.snap, when, origin)
        if os.path.exists(self.got):
            os.unlink(self.got)
        got = self.ibcheck(self.args() + ['-f', 'json'])
        self.status = got.returncode
        try:
            self.report = json.loads(got.stdout)
        except ValueError:
            self.complain('no report: status %d, %r' % (got.returncode, got.stderr[:300]))
            return self
        self.must, self.may = self.oracle.run(when, self.seen)
        self.judge_roots()
        self.judge_told()
        return self

    # ---- what it says ----

    def slot(self, guid, desc):
        for node in self.fabric.nodes.values():
            if guid in node.guids:
                return node.slot
        return desc

    def root(self, finding):
        """What a finding is about, in the words of the oracle."""
        s, kind = finding['subject'], finding['check'][len('gone.'):]
        slot = self.slot(s['node_guid'], s['node_desc'])
        if kind == 'cable':
            return kind, frozenset(((slot, s['port']), (self.slot(s['peer_guid'], s['peer_desc']), s['peer_port'])))
        return kind, (slot or '').split()[0] if kind == 'host' else slot

    def roots(self):
        """Of the findings that lead a case of gone.*: {root: finding}"""
        out, findings = {}, self.report['findings']
        for case in self.report['cases']:
            if case['state'] == 'gone' or not case['check'].startswith('gone.'):
                continue
            for i in case['findings'][:case['members']]:
                if findings[i]['check'].startswith('gone.'):
                    out[self.root(findings[i])] = findings[i]
        return out

    def judge_roots(self):
        found = {r: f for r, f in self.roots().items() if f['severity'] in BAD}
        for root, severities in self.must.items():
            if root[0] == 'part':
                self.judge_part(found, root)
            elif root not in found:
                self.complain('missing %s' % name(root))
            elif found[root]['severity'] not in severities:
                self.complain('%s is %s, not %s' % (name(root), found[root]['severity'], ' or '.join(severities)))
        for root, finding in found.items():
            if root[0] in self.excused:
                continue
            severities = self.must.get(root) or self.may.get(root)
            if not severities:
                self.complain('%s is no fault: %s' % (name(root), finding['message']))
                continue
            # another device has another
            key = root + tuple(sorted(self.devices(root)))
            if self.all_ids.setdefault(key, finding['id']) != finding['id']:
                self.complain('%s has the ID %s, and had %s' % (name(root), finding['id'], self.all_ids[key]))
            self.ids[root] = finding['id']
            if root in self.must and finding['since'] and parse(finding['since']) not in since(self.oracle, root):
                self.complain('%s since %s, not %s' % (name(root), finding['since'], ' or '.join(
                    stamp(t) for t in since(self.oracle, root) if t)))
        self.judge_causes(found)
        self.now = found

    def devices(self, root):
        """GUIDs of what it is about."""
        kind, what = root
        slots = {s for s, _ in what} if kind == 'cable' else self.fabric.hosts().get(what, []) if kind == 'host' else [what]
        return {self.fabric.nodes[s].guid for s in slots if s in self.fabric.nodes}

    def judge_part(self, found, root):
        _, switches, edge = root
        lead = {r[1] for r in found if r[0] == 'switch'} & switches
        if any(r[0] == 'cut' and r[1] in switches for r in found):
            return
        if not lead or not edge <= lead:
            self.complain('of the part %s is %s there' % (sorted(switches), sorted(lead) or 'nothing'))

    def judge_causes(self, found):
        """What does not lead names what does; nothing else of warning or worse is told beside it."""
        leads = {i for c in self.report['cases'] for i in c['findings'][:c['members']]}
        for i, f in enumerate(self.report['findings']):
            if f['check'].startswith('gone.') and i not in leads and not any(
                    r['role'] == 'cause' for r in f['related']):
                self.complain('%s follows, and has no cause' % name(self.root(f)))
        for c in self.report['cases']:
            if c['severity'] in BAD and not c['check'].startswith('gone.') and c['state'] != 'gone' and not c['known']:
                self.complain('beside it %s %s %s: %s' % (c['severity'], c['check'], subject(c), c['message']))

    def judge_told(self):
        """Each once: when it begins, when it gets worse, when it is over."""
        cases = self.report['cases']
        self.told = [(c['state'], c['check'], c['id']) for c in cases if c['state'] in TOLD + ('gone',)]
        over = {i for c in cases if c['state'] == 'gone' for i in [c['id']] + c['member_ids']}
        for root, finding in self.now.items():
            before = self.open.get(root)
            if before and finding['state'] in ('new', 'back') and root in self.must:
                self.complain('%s is %s, and was open' % (name(root), finding['state']))
            if not before and finding['state'] in ('open', 'worse') and root not in self.was:
                self.complain('%s is %s in its first run' % (name(root), finding['state']))
        for root, identity in self.open.items():
            if root not in self.now and root not in self.must and root not in self.may and self.is_well(root):
                if identity not in over:
                    self.complain('%s came back, and nobody is told' % name(root))
        for root, identity in self.ids.items():
            if identity in over and not self.is_well(root):
                self.complain('%s is said to be over, and is not' % name(root))
        self.was = getattr(self, 'was', set()) | set(self.now)
        self.open = {r: f['id'] for r, f in self.now.items()}
        self.judge_hook()

    was, excused = set(), set()

    def is_well(self, root):
        """It was seen in this run, or nobody waits for it."""
        kind, what = root
        key = {'host': 'node', 'switch': 'node', 'hca': 'node', 'cut': 'node'}.get(kind, kind)
        things = self.oracle.things
        if kind == 'host':
            mine = [t for (k, s), t in things.items() if k == 'node' and isinstance(s, str) and s.split()[0] == what]
            return any(not t.missed or not t.is_wanted() or t.vague for t in mine)
        thing = things.get((key, what))
        return not thing or thing.vague or not thing.missed or not thing.is_wanted()

    def judge_hook(self):
        got = []
        if os.path.exists(self.got):
            with open(self.got, encoding='utf-8') as f:
                text, at = f.read().strip(), 0
            while at < len(text):
                doc, end = json.JSONDecoder().raw_decode(text, at)
                got.append(doc)
                at = end
                while at < len(text) and text[at].isspace():
                    at += 1
        if len(got) > 1:
            self.complain('the hook is called %d times' % len(got))
        ids = {c['id'] for doc in got for r in doc['reports'] for c in r['cases'] if c['state'] in TOLD + ('gone',)}
        if ids != {t[2] for t in self.told}:
            self.complain('the hook gets %s, the report has %s' % (sorted(ids), self.told))


def parse(text):
    return int(time.mktime(time.strptime(text[:19], '%Y-%m-%dT%H:%M:%S'))) - time.timezone


def subject(case):
    s = case['subject']
    return ' '.join(str(s[k]) for k in ('node_desc', 'port', 'peer_desc', 'peer_port') if s[k] is not None)


def name(root):
    what = root[1]
    return 'gone.%s %s' % (root[0], ' - '.join('%s/%s' % e for e in sorted(what, key=str)) if root[0] == 'cable' else what)

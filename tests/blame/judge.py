# SPDX-License-Identifier: BSD-2-Clause
"""Runs ibcheck, and says of what it blames whether that is right."""
import os
import subprocess

IBCHECK = os.path.abspath(os.environ.get('IBCHECK', 'build/ibcheck'))


def ibcheck(args, stdin='/dev/null'):
    with open(stdin, 'rb') as f:
        return subprocess.run([IBCHECK] + args + ['-f', 'json', '--config', '/dev/null'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=f, timeout=60, check=False, env=dict(os.environ, TZ='UTC'))


def names(finding):
    """What a finding is about, as a truth has it."""
    s, out = finding['subject'], set()
    for guid, desc, port in ((s['node_guid'], s['node_desc'], s['port']),
                             (s['peer_guid'], s['peer_desc'], s['peer_port'])):
        if guid and s['kind'] in ('cable', 'port'):
            out.add(('port', guid, port))
        if guid and s['kind'] == 'node':
            out.add(('node', guid))
        if desc and finding['check'] == 'blame.host':
            out.add(('host', desc.split()[0].split('.')[0]))
    return out


def judge(job, status, report):
    """(column, sentence)"""
    truth, by_check = job.truth, {}
    for f in report['findings']:
        by_check.setdefault(f['check'], []).append(f)
    blamed = by_check.get('blame.fabric', []) + by_check.get('blame.host', [])
    said = ', '.join('%s %s' % (f['check'], sorted(names(f))) for f in blamed) or 'nothing is blamed'
    # status 4 is software or the host's IOMMU: a warning, for somebody looks there
    software = 1 if any(f['severity'] == 'warning' for f in by_check.get('blame.software', [])) else 0
    should = 2 if blamed else software if 'blame.software' in by_check and 'blame.unseen' not in by_check else 3
    if status != should:
        return 'broken', 'exit status %d with %s' % (status, sorted(by_check))
    for f in blamed:
        if f['severity'] != 'critical' or not names(f):
            return 'broken', 'of severity %s, about %s' % (f['severity'], f['subject'])
        if not names(f) & truth.fine:
            return 'false', said
    if truth.want in ('fabric', 'host'):
        first = (by_check.get('blame.' + truth.want) or blamed)[:1]
        if any(names(f) & r for f in first for r in truth.right):
            return 'right', said
        return ('other' if blamed else 'unseen'), said
    if truth.want == 'software':
        return ('right' if status == software else 'unseen'), said
    return ('right' if truth.want == 'process' or not blamed else 'other'), said

# SPDX-License-Identifier: BSD-2-Clause
"""What files of one format differ in.

A dialect changes a Doc, or its lines, or its bytes.  EQUAL ones take nothing away that can be read;
of LESS ones something cannot be understood, or is missing where that can be seen.
"""
import gzip
import re
import struct

ERF = {'ERF'}
DIAGS = {'ibnetdiscover', 'ibnetdiscover -p', 'iblinkinfo', 'ibroute'}
NET = {'ibnetdiscover', 'ibdiagnet .ibnetdiscover'}
SHEETS = {'cables .csv', 'UFM NDT'}
TABLES = {'ibroute', 'OpenSM fdbs'}
BLANKS_MATTER = SHEETS | {'ibdiagnet db_csv'}  # they may be in any cell
NAMED = SHEETS | {'ibutils .topo', 'topology.conf'}  # any word may be a name
ALL = DIAGS | NET | SHEETS | TABLES | {'ibdiagnet .lst', 'ibdiagnet db_csv', 'ibutils .topo', 'topology.conf'}

EQUAL, LESS = [], []


def dialect(kind, stage, formats=None, but=()):
    def add(function):
        entry = (function.__name__.replace('_', '-'), stage, (formats or ALL) - set(but), function)
        kind.append(entry)
        return function
    return add


def outside_quotes(line, change):
    return ''.join(p if i % 2 else change(p) for i, p in enumerate(re.split(r'(["\'][^"\']*["\'])', line)))


# ---- blanks and tabs, ends of lines, marks -------------------------------------------------


@dialect(EQUAL, 'bytes')
def crlf(rng, data):
    return data.replace(b'\n', rng.choice([b'\r\n', b'\r\r\n']))


@dialect(EQUAL, 'bytes')
def byte_order_mark(rng, data):
    return b'\xef\xbb\xbf' + data


@dialect(EQUAL, 'bytes')
def no_last_end(rng, data):
    return data.rstrip(b'\n')


@dialect(EQUAL, 'bytes', formats=ALL | ERF)
def packed(rng, data):
    return gzip.compress(data, mtime=0)


@dialect(EQUAL, 'lines')
def trailing_blanks(rng, lines):
    return [l + rng.choice(['', ' ', '\t', '   ']) if l else l for l in lines]


@dialect(EQUAL, 'lines', but=SHEETS)
def leading_blanks(rng, lines):
    blank = rng.choice([' ', '    ', '\t'])
    return [blank + l if l else l for l in lines]


@dialect(EQUAL, 'lines', but=BLANKS_MATTER | {'topology.conf'})
def tabs_as_blanks(rng, lines):
    return [l.expandtabs(8) for l in lines]


@dialect(EQUAL, 'lines', but=BLANKS_MATTER | {'ibdiagnet .lst'})
def wide_blanks(rng, lines):
    to = rng.choice(['  ', ' \t'])
    return [outside_quotes(l, lambda p: re.sub(r'(?<=\S)(?<!ext)[ \t]+(?=\S)', to, p))
            if re.match(r'\s*(\[|0x|\d+ +\d+\[|(SW|CA) +\d|SwitchName)', l) else l for l in lines]


@dialect(EQUAL, 'lines', but={'ibutils .topo'})
def empty_lines(rng, lines):
    return [x for l in lines for x in ([l, ''] if rng.random() < .3 else [l])]


@dialect(EQUAL, 'doc', formats=NET | TABLES)
def no_empty_lines(rng, doc):
    for part in doc.parts:
        part.tail = [l for l in part.tail if l.strip()]


# ---- what a terminal leaves ----------------------------------------------------------------


@dialect(EQUAL, 'doc')
def prompts(rng, doc):
    prompt = rng.choice(['[root@node01 ~]# ', 'root@node01:~# ', 'admin@ufm:~$ ', '$ ', 'node01:~ # '])
    doc.head = [prompt + (doc.command or 'cat fabric')] + doc.head
    doc.tail = doc.tail + [prompt.rstrip()]


@dialect(EQUAL, 'lines')
def script(rng, lines):
    return (['Script started on Thu 29 Jan 2026 12:00:00 PM UTC'] + lines +
            ['', 'Script done on Thu 29 Jan 2026 12:00:09 PM UTC'])


@dialect(EQUAL, 'lines')
def colours(rng, lines):
    on = rng.choice(['\x1b[32m', '\x1b[1;31m', '\x1b[38;5;196m'])
    off = rng.choice(['\x1b[0m', '\x1b[m', '\x1b[39;49m\x1b[K'])
    every = rng.random() < .5

    def paint(line):
        at = [m.start() for m in re.finditer(r'\b', line)]
        if len(at) < 2 or not (every or rng.random() < .2):
            return line
        a, b = sorted(rng.sample(at, 2))
        return line[:a] + on + line[a:b] + off + line[b:]
    return [paint(l) for l in lines]


@dialect(EQUAL, 'lines', formats=DIAGS)
def warnings(rng, lines):
    said = ['ibwarn: [4711] mad_rpc_open_port: client_register for mgmt 4 failed',
            'src/ibnetdisc.c:801; IB_NODE_DESC (DR path slid 0; dlid 0; 0,1,2 attr 0x11) bad status 110; '
            'Connection timed out']
    return [rng.choice(said)] + lines + [rng.choice(said)]


@dialect(EQUAL, 'lines')
def comments(rng, lines):
    at = sorted(rng.sample(range(len(lines)), min(3, len(lines))), reverse=True)
    for i in at:
        lines.insert(i, rng.choice(['# checked by hand, ticket 4711', '#', '# ---- row B ----']))
    return lines


# ---- order, case, quotes, padding ----------------------------------------------------------


@dialect(EQUAL, 'doc')
def parts_in_other_order(rng, doc):
    rng.shuffle(doc.parts)


@dialect(EQUAL, 'doc', but=TABLES)
def rows_in_other_order(rng, doc):
    for part in doc.parts:
        rng.shuffle(part.rows)


@dialect(EQUAL, 'doc', formats=SHEETS | {'ibdiagnet db_csv'})
def columns_in_other_order(rng, doc):
    for part in doc.parts:
        order = list(range(len(part.columns)))
        rng.shuffle(order)
        part.columns = [part.columns[i] for i in order]
        part.rows = [[r[i] for i in order] for r in part.rows]


@dialect(EQUAL, 'doc', formats=SHEETS | {'ibdiagnet db_csv'})
def columns_added(rng, doc):
    for part in doc.parts:
        for name in rng.sample(['Remarks', 'U height', 'Owner', 'Serial', 'Installed'], 2):
            at = rng.randint(1, len(part.columns))
            part.columns.insert(at, name)
            for r in part.rows:
                r.insert(at, rng.choice(['', 'x', 'N/A', '17']))


@dialect(EQUAL, 'doc', formats=SHEETS | {'ibdiagnet db_csv'})
def columns_missing(rng, doc):
    without = {'length', 'linktype', 'classversion', 'baseversion', 'partitioncap', 'localportnum', 'mkey'}
    for part in doc.parts:
        keep = [i for i, c in enumerate(part.columns) if c.lower() not in without]
        part.columns = [part.columns[i] for i in keep]
        part.rows = [[r[i] for i in keep] for r in part.rows]


@dialect(EQUAL, 'doc', formats={'cables .csv'})
def headings_of_others(rng, doc):
    ends = rng.choice([('Source %s', 'Destination %s'), ('A-%s', 'Z-%s'), ('From %s', 'To %s')])
    words = {'label': 'Cable ID', 'length': 'Length (m)', 'width': 'Link Width', 'speed': 'Rate'}
    for i, c in enumerate(doc.parts[0].columns):
        what, _, end = c.lower().partition('_')
        doc.parts[0].columns[i] = ends[end == 'b'] % what.title() if end in ('a', 'b') else words.get(what, c)


@dialect(EQUAL, 'doc', formats=SHEETS)
def semicolons(rng, doc):
    doc.separator = rng.choice([';', '\t'])


@dialect(EQUAL, 'doc', formats=SHEETS)
def all_quoted(rng, doc):
    doc.quote_all = True


@dialect(EQUAL, 'doc', formats=SHEETS)
def titles(rng, doc):
    """Lines of a person's in front of the headings, and empty cells behind."""
    doc.head = ['Cabling of hall 2' + 3 * doc.separator, 'as of 2026-01-29' + 3 * doc.separator, ''] + doc.head
    doc.tail = doc.tail + 2 * [4 * doc.separator]


@dialect(EQUAL, 'doc', formats=SHEETS)
def wrapped_cells(rng, doc):
    part = doc.parts[0]
    part.columns.append('Remarks')
    for r in part.rows:
        r.append('see\nticket, 4711' if rng.random() < .3 else '')


@dialect(EQUAL, 'doc', formats=SHEETS)
def ports_in_words(rng, doc):
    word = rng.choice(['P', 'Port ', 'port', 'swp'])
    part = doc.parts[0]
    for r in part.rows:
        for i, cell in enumerate(r):
            if cell.isdigit() and 'port' in part.columns[i].lower():
                r[i] = word + cell


@dialect(EQUAL, 'lines', formats=NET | {'ibnetdiscover -p', 'iblinkinfo', 'ibdiagnet db_csv', 'ibdiagnet .lst'})
def hexadecimal_case(rng, lines):
    to = rng.choice([str.upper, str.lower])
    return [re.sub(r'(?<=0x)[0-9a-fA-F]+|(?<=[(:-])[0-9a-fA-F]{12,16}(?=[ )"])', lambda m: to(m.group()), l)
            for l in lines]


@dialect(EQUAL, 'doc', formats=SHEETS | {'ibdiagnet db_csv'})
def case_of_headings(rng, doc):
    to = rng.choice([str.upper, str.lower])
    for part in doc.parts:
        part.columns = [to(c) for c in part.columns]


@dialect(EQUAL, 'lines', formats={'topology.conf'})
def case_of_keys(rng, lines):
    to = rng.choice([str.upper, str.lower])
    return [re.sub(r'\w+=', lambda m: to(m.group()), l) for l in lines]


@dialect(EQUAL, 'lines', formats={'ibnetdiscover', 'ibnetdiscover -p', 'iblinkinfo', 'ibutils .topo'})
def case_of_rates(rng, lines):
    to = rng.choice([str.upper, str.lower])
    return [re.sub(r'(?<=[ -])(\d+[xX])([ -]?)(SDR|DDR|QDR|FDR|EDR|HDR|NDR|(?=[ -]))',
                   lambda m: to(m.group()), l) for l in lines]


@dialect(EQUAL, 'lines', formats={'topology.conf'})
def quoted_values(rng, lines):
    return [re.sub(r'=([^ ]+)', r'="\1"', l) for l in lines]


@dialect(EQUAL, 'lines', formats={'topology.conf'})
def continued(rng, lines):
    return [x for l in lines for x in (l.replace(' ', ' \\\n', 1).split('\n')
                                       if l.strip().startswith('Switch') and rng.random() < .5 else [l])]


@dialect(EQUAL, 'lines', formats=NET | {'ibdiagnet db_csv', 'ibnetdiscover -p', 'iblinkinfo', 'OpenSM fdbs',
                                        'ibroute'})
def padding(rng, lines):
    width = rng.choice([0, 16])
    return [re.sub(r'(?<=0x)[0-9a-fA-F]{3,16}',
                   lambda m: m.group().lstrip('0').rjust(width, '0') or '0', l) for l in lines]


# ---- versions ------------------------------------------------------------------------------


@dialect(EQUAL, 'doc', formats={'ibnetdiscover'})
def grouped(rng, doc):
    """ibnetdiscover -g of a chassis, with numbers of its panel."""
    doc.parts[0].head = ['', 'Chassis 1', ''] + doc.parts[0].head
    doc.parts[-1].head = ['Non-Chassis Nodes', ''] + doc.parts[-1].head
    doc.parts[0].rows = [re.sub(r'\]', '][ext %d]' % (i + 1), r, count=1) for i, r in
                         enumerate(doc.parts[0].rows)]


@dialect(EQUAL, 'doc', formats=NET)
def other_header(rng, doc):
    doc.head = rng.choice([[], ['# Max of 5 hops discovered', ''] + doc.head,
                           ['# Topology file: generated on Fri Oct 4 11:51:02 2024', '# (C) A Vendor', '']])
    for part in doc.parts:
        part.head = [l.replace('base port 0', 'enhanced port 0') for l in part.head]


@dialect(EQUAL, 'lines', formats={'iblinkinfo'})
def older_blocks(rng, lines):
    return [re.sub(r'^Switch: (0x\w+)', r'Switch \1', l) for l in lines]


@dialect(EQUAL, 'doc', formats={'iblinkinfo'})
def line_mode(rng, doc):
    """iblinkinfo -l: a line each, with both ends."""
    guids = {}
    for part in doc.parts:
        for row in part.rows:
            words = row.split()
            lid = words[1 if words[0].startswith('0x') else 0]
            guids[lid] = words[0] if words[0].startswith('0x') else part.head[0].split()[1]
    for part in doc.parts:
        name = re.sub(r'^(CA:|Switch: 0x\w+) |:$', '', part.head.pop())
        for i, row in enumerate(part.rows):
            row = re.sub(r'^ *0x\w+', '', row)
            row = re.sub(r'(?<===>)( +)(\d+)', lambda m: '  %s %s' % (guids[m[2]], m[0]), row)
            part.rows[i] = '%s "%30s" %s' % (guids[row.split()[0]], name, row)


@dialect(EQUAL, 'lines', formats={'iblinkinfo'})
def panel_numbers(rng, lines):
    return [l.replace('[  ]', '[ 7]', 1) for l in lines]


@dialect(EQUAL, 'doc', formats={'ibdiagnet db_csv'})
def sections_added(rng, doc):
    part = type(doc.parts[0])
    for name in ('QOS_CONFIG_SL', 'PORT_RECOVERY_POLICY_CONFIG', 'N2N_CLASS_PORT_INFO'):
        doc.parts.insert(rng.randint(0, len(doc.parts)),
                         part(['START_' + name], [['0x1', '2']], ['END_' + name, ''], ['NodeGUID', 'X']))


@dialect(EQUAL, 'doc', formats={'ibdiagnet db_csv'})
def older_sections(rng, doc):
    doc.head = [l for l in doc.head if 'timestamp' not in l]
    for part in doc.parts:
        part.tail = part.tail[:1]


@dialect(EQUAL, 'lines', formats={'ibroute'})
def as_opensm(rng, lines):
    """opensm-lfts.dump of other releases."""
    return [re.sub(r' : \(.*', ' # peer', re.sub(r'\[0x0-0x(\w+)\]', lambda m: '[0-%d]' % int(m[1], 16), l))
            for l in lines]


@dialect(EQUAL, 'doc', but={'topology.conf', 'cables .csv'})
def twice(rng, doc):
    """The same captured again into the same file."""
    again = [part for part in doc.parts]
    if doc.command and rng.random() < .5:
        doc.tail = ['[root@node01 ~]# ' + doc.command] + doc.head + sum(
            (doc.text(p) for p in again), []) + doc.tail
    else:
        doc.tail = [l for l in doc.head if not again[0].columns] + sum((doc.text(p) for p in again), []) + doc.tail


# ---- what cannot be understood -------------------------------------------------------------


def rows_at(rng, doc, n, change, within=False):
    """Changes n rows, which are not in quotation marks: those may hold ends of lines.  Within a part?"""
    doc.quote_all = False
    places = [(p, i) for p in doc.parts for i in range(len(p.rows) - within)]
    for part, i in rng.sample(places, min(n, len(places))):
        row = part.rows[i]
        part.rows[i] = change(row if isinstance(row, str) else doc.cells(row))


def begun(rng, line):
    """Its first few characters: so few that it shows."""
    start = len(line) - len(line.lstrip())
    end = start + min(8, max(2, (len(line) - start) * rng.randint(10, 40) // 100))
    return line[:end].split(',')[0].rstrip('"')


@dialect(LESS, 'doc', but=NAMED)
def garbled(rng, doc):
    def garble(line):
        if line.startswith('"'):  # a name could be any
            return '%%%' + line[-20:]
        at = rng.randint(0, min(6, len(line) // 3))
        return line[:at] + ''.join(rng.choice('?~^&%{;<') for _ in range(8)) + line[at + 8:]
    rows_at(rng, doc, rng.randint(1, 3), garble)


@dialect(LESS, 'doc', formats=NAMED)
def wiped(rng, doc):
    """Where any word may be a name, it shows only in whole lines."""
    rows_at(rng, doc, rng.randint(1, 3), lambda l: ''.join(rng.choice('?~^&%{<') for _ in range(20)))


@dialect(LESS, 'doc')
def cut_rows(rng, doc):
    rows_at(rng, doc, rng.randint(1, 3), lambda l: begun(rng, l))


@dialect(LESS, 'doc')
def left_out(rng, doc):
    rows_at(rng, doc, rng.randint(1, 4), lambda l: rng.choice(['[...]', '--More--', '... 17 lines ...', '...']))


@dialect(LESS, 'doc', but=NAMED | {'ibnetdiscover -p', 'ibdiagnet .lst', 'ibroute', 'OpenSM fdbs'})
def headers_garbled(rng, doc):
    """What a part begins with, but the one of the nodes."""
    head = rng.choice(doc.parts[1:]).head
    head[-1] = '%&?!' + head[-1][4:]


@dialect(LESS, 'doc', formats={'ibroute', 'OpenSM fdbs', 'ibutils .topo'})
def headers_wiped(rng, doc):
    rng.choice(doc.parts).head[0] = '%&?!%&?!'


@dialect(LESS, 'doc')
def strangers(rng, doc):
    said = ['Message from syslogd@node01 at Jan 29 12:00:01 ...', ' kernel:[1234.5] watchdog: BUG: soft lockup',
            '^C', '-bash: ibnetdiscovr: command not found']
    rows_at(rng, doc, rng.randint(1, 2), lambda l: l + '\n' + rng.choice(said), within=True)


@dialect(LESS, 'doc', but=TABLES | {'topology.conf', 'ibdiagnet db_csv'})
def disputed(rng, doc):
    """A cable between ends of two others."""
    if doc.parts[0].columns:
        part = doc.parts[0]
        a, b = rng.sample(part.rows, 2)
        far = [i for i, c in enumerate(part.columns) if re.match('(?i)(z|to|dest|end)|.*_b$', c)]
        part.rows.append([b[i] if i in far else c for i, c in enumerate(a)])
        return
    mark = next(m for m in ('==>', ' - ', '} {', '> ', '\t') if any(m in r for p in doc.parts for r in p.rows))
    rows = [(p, r.split(mark, 1)) for p in doc.parts for r in p.rows if mark in r]
    part, a = rng.choice(rows)
    part.rows.append(a[0] + mark + rng.choice([b[1] for _, b in rows if b[1] != a[1]] or [a[1]]))


@dialect(LESS, 'doc')
def nul_bytes(rng, doc):
    """But in the first line: that file is no text."""
    doc.head.insert(0, '#')
    rows_at(rng, doc, 1, lambda l: l[:5] + '\0' * 16)


@dialect(LESS, 'doc')
def hard_wrapped(rng, doc):
    rows_at(rng, doc, 2, lambda l: l[:len(l) // 2] + '\n' + l[len(l) // 2:])


@dialect(LESS, 'doc', but=NAMED)
def not_utf8(rng, doc):
    """But in the first line, where it is the mark of UTF-16."""
    doc.head.insert(0, '#')
    rows_at(rng, doc, 1, lambda l: '\udcff\udcfe' + ('' if l.startswith('"') else l[2:]))


@dialect(LESS, 'bytes')
def cut_off(rng, data):
    """The file ends in a line that says something, behind a third of it at least."""
    lines = data.decode('utf-8', 'surrogateescape').split('\n')
    i = rng.choice([i for i, l in enumerate(lines) if len(l.strip()) > 8 and i > len(lines) // 3 and
                    'Script ' not in l and l.lstrip()[0] not in '#\x1b' and l[-1] not in '#$'])
    return '\n'.join(lines[:i] + [begun(rng, lines[i])]).encode('utf-8', 'surrogateescape')


# ---- traces --------------------------------------------------------------------------------

# Answers that are lost, refused or of another length are in tests/inject/mads.py.
LENGTH, HEADER = 10, 16  # offset in an ERF record; bytes of its header


def with_length(record, length):
    return record[:LENGTH] + struct.pack('>H', length) + record[LENGTH + 2:]


@dialect(EQUAL, 'doc', formats=ERF)
def rounded_up(rng, trace):
    """rlen counts padding to 8 bytes, which pcap has not captured."""
    for r in trace.records:
        r[2] = with_length(r[2], (len(r[2]) + 7) // 8 * 8)


@dialect(EQUAL, 'doc', formats=ERF)
def padded(rng, trace):
    for r in trace.records:
        more = -len(r[2]) % 8
        r[2] = with_length(r[2], len(r[2]) + more) + bytes(more)


@dialect(EQUAL, 'doc', formats=ERF)
def big_endian(rng, trace):
    trace.order = '>'


@dialect(EQUAL, 'doc', formats=ERF)
def nanoseconds(rng, trace):
    trace.magic = 0xa1b23c4d


@dialect(EQUAL, 'doc', formats=ERF)
def extended(rng, trace):
    """Extension headers, of a host id and of flow ids."""
    for r in trace.records:
        if r[2][8] & 0x7f == 21:
            n = rng.choice([1, 2])
            more = b''.join(bytes([(0x80 if i + 1 < n else 0) | 3]) + bytes(7) for i in range(n))
            head = bytearray(with_length(r[2], len(r[2]) + len(more))[:HEADER])
            head[8] |= 0x80
            r[2] = bytes(head) + more + r[2][HEADER:]


@dialect(EQUAL, 'doc', formats=ERF)
def other_records(rng, trace):
    """Ethernet, padding, data that are no MADs."""
    for _ in range(5):
        i = rng.randrange(1, len(trace.records))
        seconds, fraction, near = trace.records[i]
        kind = rng.choice([2, 48, 21])
        packet = bytes(64) if kind != 21 else bytes([0, 2]) + bytes(6) + b'\x0a' + bytes(55)
        record = near[:8] + bytes([kind, 4]) + struct.pack('>HHH', HEADER + 64, 0, 64) + packet
        trace.records.insert(i, [seconds, fraction, record])


@dialect(LESS, 'doc', formats=ERF)
def damaged_records(rng, trace):
    """rlen and wlen of answers say nothing that can be."""
    answers = [r for r in trace.records if r[2][8] & 0x7f == 21 and r[2][9] & 1]
    for r in rng.sample(answers, 2):
        r[2] = r[2][:LENGTH] + b'\0\3\0\0\0\0' + r[2][HEADER:]

# SPDX-License-Identifier: BSD-2-Clause
"""Traces in which one answer is lost, busy, refused, or of another length.

A trace is a file as --record writes it: pcap, each record an ERF header and a packet, see
lib/wire/erf.c.
"""
import struct

PCAP, RECORD, ERF = 24, 16, 16  # bytes of headers: of the file, of a record, of ERF
HEADERS, CRC = 8 + 12 + 8, 6    # before and behind a MAD: LRH, BTH, DETH; ICRC, VCRC
MAD, SA_DATA = 256, 56          # bytes; where the records of subnet administration begin
TIMED_OUT = 0x20                # a flag of ERF: the record is that of a query that timed out
SMP_DIRECTED, SA = 0x81, 0x03   # management classes
BUSY, UNSUPPORTED, REFUSED, ODD = 0x01, 0x0c, 0x1c, 0x200  # statuses (IBA 13.4.7, 15.2.2.1)
TRIES = 40                      # more than a query has, with those after "busy"

WAYS = ('lost', 'busy', 'busy-always', 'unsupported', 'refused', 'odd', 'header', 'short', 'long')


def records(trace):
    """Each with its pcap header."""
    at = PCAP
    while at < len(trace):
        end = at + RECORD + struct.unpack_from('<I', trace, at + 8)[0]
        yield trace[at:end]
        at = end


def mad_of(record):
    return record[RECORD + ERF + HEADERS:len(record) - CRC]


def is_mad(record):
    return record[RECORD + 8] & 0x7f == 21


def is_answer(record):
    flags = record[RECORD + 9]
    return is_mad(record) and flags & 3 == 1 and not flags & TIMED_OUT


def with_mad(record, mad):
    """The same record around another MAD, whose length may be another one."""
    packet = bytearray(record[RECORD + ERF:RECORD + ERF + HEADERS])
    padding = -len(mad) % 4
    packet[4:6] = struct.pack('>H', (HEADERS + len(mad) + padding + 4) // 4)
    packet[9] = padding << 4  # PadCnt
    packet += mad + bytes(padding + CRC)
    erf = bytearray(record[RECORD:RECORD + ERF])
    erf[10:12] = struct.pack('>H', ERF + len(packet))
    erf[14:16] = struct.pack('>H', len(packet))
    size = struct.pack('<I', ERF + len(packet))
    return record[:8] + size + size + bytes(erf + packet)


def with_status(record, status):
    mad = bytearray(mad_of(record))
    direction = mad[4] & 0x80 if mad[1] == SMP_DIRECTED else 0
    mad[4:6] = struct.pack('>H', status | direction << 8)
    return with_mad(record, mad)


def with_tid(record, tid):
    mad = bytearray(mad_of(record))
    mad[12:16] = struct.pack('>I', tid)  # the half that comes back
    return with_mad(record, mad)


def tid_of(record):
    return struct.unpack_from('>I', mad_of(record), 12)[0]


def edited(record, query, way):
    """What is in the place of an answer."""
    mad = mad_of(record)
    if way == 'lost':
        return []
    if way == 'busy':
        return [with_status(record, BUSY)]
    if way == 'busy-always':
        busy = with_status(record, BUSY)
        again = [r for n in range(TRIES) for r in
                 (with_tid(query, 0x70000000 + n), with_tid(busy, 0x70000000 + n))]
        return [busy, *again]
    if way in ('unsupported', 'refused', 'odd'):
        return [with_status(record, {'unsupported': UNSUPPORTED, 'refused': REFUSED,
                                     'odd': ODD}[way])]
    if way == 'header':
        return [with_mad(record, mad[:24])]
    if way == 'short':  # of subnet administration: in the middle of a record
        return [with_mad(record, mad[:SA_DATA + 24 if mad[1] == SA else MAD - 4])]
    return [with_mad(record, mad + bytes(64))]


def edit(trace, way, at):
    """The trace without its at-th answer (0: all are there), and how many it has."""
    out, queries, answers = [trace[:PCAP]], {}, 0
    for record in records(trace):
        if is_answer(record):
            answers += 1
            if answers == at:
                query = queries.get((mad_of(record)[1], tid_of(record)))
                out += edited(record, query, way) if query else []
                continue
        elif is_mad(record):
            queries[mad_of(record)[1], tid_of(record)] = record
        out.append(record)
    return b''.join(out), answers

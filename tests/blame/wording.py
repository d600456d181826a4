# SPDX-License-Identifier: BSD-2-Clause
"""What programs say when a connection breaks, and how it reaches a file.

The wording is that of the programs' own sources and of threads about them, named beside each form; nothing here was
taken from how ibcheck reads it.  A form is a function that gives the texts of one failure:

    form(rng, job, own, peer, status) -> [text, ...]

job has names and addresses: of hosts(), ranks and processes.
"""
import json
import time

STATUS = {  # ibv_wc_status: its name, strings of libibverbs, syndrome of an mlx5 CQE, vendor error
    4: ('IBV_WC_LOC_PROT_ERR', 'local protection error', 0x04, 0x51),
    5: ('IBV_WC_WR_FLUSH_ERR', 'Work Request Flushed Error', 0x05, 0xf9),
    9: ('IBV_WC_REM_INV_REQ_ERR', 'remote invalid request error', 0x12, 0x8a),
    10: ('IBV_WC_REM_ACCESS_ERR', 'remote access error', 0x13, 0x88),
    12: ('IBV_WC_RETRY_EXC_ERR', 'transport retry counter exceeded', 0x15, 0x81),
    13: ('IBV_WC_RNR_RETRY_EXC_ERR', 'RNR retry counter exceeded', 0x16, 0x87),
}
FORMS = {}


class Form:
    """@family: who writes it, by which its prefixes are chosen; @peer: by what it names the peer, or None;
    @device: it names its own HCA; @pairs: who talks to whom; @roce: it can say that it is Ethernet"""

    def __init__(self, name, render, family, peer, device, pairs, roce=False, flush=True):
        self.name, self.render, self.family, self.peer = name, render, family, peer
        self.device, self.pairs, self.roce, self.flush = device, pairs, roce, flush


def form(family, peer, device, pairs, **more):
    def add(render):
        FORMS[render.__name__] = Form(render.__name__, render, family, peer, device, pairs, **more)
        return render
    return add


def digits(rng, n):
    return str(rng.randrange(10 ** (n - 1), 10 ** n))


# ---- NCCL: src/transport/net_ib.cc, since 2.27 net_ib/p2p.cc ------------------------------------


def nccl(job, own, rng, where, text):
    return '%s:%d:%d [%d] %s NCCL WARN %s' % (job.own_name(own), job.pid(own), job.pid(own) + 120, job.gpu(own), where,
                                              text)


def nccl_peer(rng, job, peer):
    return '%s<%d>' % (job.address(peer) if job.number % 6 else peer.host, job.socket(peer))


def gids(job, own, peer):
    return ' localGid %s remoteGids%s' % (job.gid(own), job.gid(peer))


@form('nccl', 'address', False, 'ring')
def nccl_2_18(rng, job, own, peer, status):
    return [nccl(job, own, rng, 'transport/net_ib.cc:1296',
                 'NET/IB : Got completion from peer %s with error %d, opcode %d, len %d, vendor err %d%s' % (
                     nccl_peer(rng, job, peer), status, rng.choice([0, 1, 32616]), rng.choice([0, 1, 1048576]),
                     STATUS[status][3], rng.choice(['', ' (Recv)', ' (Send)'])))]


@form('nccl', 'gid', True, 'ring', roce=True)
def nccl_2_19(rng, job, own, peer, status):
    return [nccl(job, own, rng, 'transport/net_ib.cc:%d' % rng.choice([1295, 1615, 1909]),
                 'NET/IB%s: Got completion from peer %s with status=%d opcode=%d len=%d vendor err %d (%s)%s hca %s' % (
                     rng.choice(['', ' ', ' ', 'P']), nccl_peer(rng, job, peer), status, rng.choice([0, 1, 129, 32616]),
                     rng.choice([0, 1048576]), STATUS[status][3], rng.choice(['Send', 'Recv']), gids(job, own, peer),
                     own.device))]


@form('nccl', 'address', True, 'ring')
def nccl_2_19_no_gids(rng, job, own, peer, status):  # on InfiniBand these versions print none
    return [t[:t.index(' localGid')] + t[t.index(' hca'):] for t in nccl_2_19(rng, job, own, peer, status)]


@form('nccl', 'gid', True, 'ring', roce=True)
def nccl_2_27(rng, job, own, peer, status):
    out = []
    if rng.random() < 0.5:
        out.append(nccl(job, own, rng, '[common.cc:420]', 'NET/IB: Got CQE with error (devIndex=0, qp_num=%d)' %
                        rng.randrange(300, 40000)))
    size = rng.choice(['', ' reqSize=%d' % rng.randrange(2 ** 20)])
    kind = ' req_type=%s' % rng.choice(['Send', 'Recv']) if size else ''
    out.append(nccl(job, own, rng, '[p2p.cc:648]',
                    'NET/IB: Got completion from peer %s with status=%s(%d) opcode=%s%s vendor_err=%d%s%s%s hca %s' % (
                        nccl_peer(rng, job, peer), STATUS[status][0], status,
                        rng.choice(['IBV_WC_RECV_RDMA_WITH_IMM(129)', 'IBV_WC_SEND(0)', 'IBV_WC_RDMA_WRITE(1)']),
                        size, STATUS[status][3], kind, rng.choice(['', ' ']), gids(job, own, peer), own.device)))
    return out


@form('nccl', 'gid', True, 'ring', roce=True)
def rccl(rng, job, own, peer, status):  # a fork: projects/rccl/src/transport/net_ib.cc
    return [t.replace('NET/IB:', 'NET/IB :', 1)
            for t in nccl_2_19(rng, job, own, peer, status)]


def nccl_port_error(rng, job, own):
    text = rng.choice(['NET/IB : %s:1 Got async error event: port error' % own.device,
                       'NET/IB : Got async event : port error'])
    return nccl(job, own, rng, 'transport/net_ib.cc:93', text)


# ---- UCX: src/uct/ib/mlx5/ib_mlx5_log.c -------------------------------------------------------------

UCX = {12: 'Transport retry count exceeded', 13: 'Receive-no-ready retry count exceeded', 4: 'Local protection',
       9: 'Invalid request', 10: 'Remote access', 5: 'WR flushed because QP in error state'}

UCX_OLDER = {13: 'Receiver-not-ready retry count exceeded', 10: 'Remote access error'}


def ucx_where(job, own, line):
    return '[%s:%d:0:%d] ib_mlx5_log.c:%d ' % (job.own_name(own), job.pid(own), job.pid(own), line)


def ucx_first(job, own, status):
    words = UCX[status] if job.number % 3 else UCX_OLDER.get(status, UCX[status])
    return ucx_where(job, own, 177) + ' %s on %s:%d/%s (synd 0x%x vend 0x%x hw_synd 0/0)' % (
        words, own.device, own.num, 'RoCE' if job.roce else 'IB', STATUS[status][2], STATUS[status][3])


@form('job', None, True, 'all', flush=False)
def ucx_1_7(rng, job, own, peer, status):
    return [ucx_where(job, own, 115) + ' FATAL: Error on %s:%d QP 0x%x wqe[%d]: %s (synd 0x%x vend 0x%x) opcode '
            'SEND' % (own.device, own.num, rng.randrange(300, 60000), rng.randrange(9999), UCX[status],
                      STATUS[status][2], STATUS[status][3])]


@form('job', None, True, 'all', roce=True, flush=False)
def ucx_rc(rng, job, own, peer, status):
    return [ucx_first(job, own, status),
            ucx_where(job, own, 177) + ' RC QP 0x%x wqe[%d]: SEND s-e [va 0x2b%s len %d lkey 0x%x]' % (
                rng.randrange(300, 60000), rng.randrange(9999), digits(rng, 8), rng.randrange(9000),
                rng.randrange(9999))]


@form('job', 'lid', True, 'all', flush=False)
def ucx_dc(rng, job, own, peer, status):
    grh = rng.choice(['', '', ' sgix 0 dgid %s tc 0' % peer.gid()])
    return [ucx_first(job, own, status),
            ucx_where(job, own, 177) + ' DCI QP 0x%x wqe[%d]: SEND s-e [rqpn 0x%x rlid %d%s] [va 0x2b%s len %d '
            'lkey 0x%x]' % (
                rng.randrange(300, 60000), rng.randrange(9999), rng.randrange(300, 60000), peer.lid, grh,
                digits(rng, 8), rng.randrange(9000), rng.randrange(9999))]


# ---- MPI, libfabric --------------------------------------------------------------------------------

OPENMPI = {12: 'RETRY EXCEEDED ERROR', 13: 'RECEIVER NOT READY RETRY EXCEEDED ERROR', 4: 'LOCAL PROTOCOL ERROR',
           9: 'INVALID REQUEST ERROR', 10: 'REMOTE ACCESS ERROR', 5: 'WORK REQUEST FLUSHED ERROR'}


@form('job', 'host', False, 'all')
def openmpi(rng, job, own, peer, status):  # btl_openib_component.c, BTL_PEER_ERROR()
    vendor = rng.choice(['  vendor error %d' % STATUS[status][3], ''])
    return ['[[%d,1],%d][btl_openib_component.c:%d:handle_wc] from %s to: %s error polling %s CQ with status %s status '
            'number %d for wr_id %x opcode %d%s qp_idx %d' % (
                job.number, job.rank(own), rng.choice([2951, 3492, 3644]), job.own_name(own), job.peer_name(peer),
                rng.choice(['LP', 'HP']), OPENMPI[status], status, rng.randrange(2 ** 28), rng.choice([0, 1, 32731]),
                vendor, rng.randrange(4))]


@form('job', None, False, 'all', flush=False)
def mvapich(rng, job, own, peer, status):  # ibv_channel_manager.c, ibv_va_error_abort()
    who = '[%s:mpi_rank_%d]' % (job.own_name(own), job.rank(own))
    out = [who + '[handle_cqe] Send desc error in msg to %d, wc_opcode=0' % job.rank(peer),
           who + '[handle_cqe] Msg from %d: wc.status=%d (%s), wc.wr_id=0x%x, wc.opcode=0, vbuf->phead->type=24 = '
           'MPIDI_CH3_PKT_ADDRESS' % (job.rank(peer), status, STATUS[status][1], rng.randrange(2 ** 32))]
    return out[:rng.randrange(3)] + [
        who + '[handle_cqe] src/mpid/ch3/channels/mrail/src/gen2/ibv_channel_manager.c:%d: [] Got completion with '
        'error %d, vendor code=0x%x, dest rank=%d' % (rng.choice([497, 548, 586]), status, STATUS[status][3], job.rank(peer))]


@form('hosted', None, False, 'all')
def libfabric(rng, job, own, peer, status):  # prov/rxm/src/rxm_cq.c, FI_WARN()
    return ['libfabric:%d:%d::%s:cq:rxm_handle_comp_error():%d<warn> fi_cq_readerr: err: %s, prov_err: %s (%d)' % (
        job.pid(own), int(job.fault), rng.choice(['ofi_rxm', 'verbs']), rng.choice([819, 874]),
        'Operation canceled (125)' if status == 5 else 'Input/output error (5)', STATUS[status][1], status)]


# ---- file systems, kernels -------------------------------------------------------------------------


@form('kernel', 'address', False, 'servers')
def lustre(rng, job, own, peer, status):  # lnet/klnds/o2iblnd/o2iblnd_cb.c
    nid = job.ib_address(peer) + '@o2ib' + rng.choice(['', '0', '1'])
    tx = 'LNet%s: %d:0:(o2iblnd_cb.c:%d:kiblnd_tx_complete()) Tx -> %s cookie 0x%x sending 1 waiting 0: failed %d' % (
        rng.choice(['', 'Error']), job.pid(own), rng.choice([1032, 984]), nid, rng.randrange(2 ** 24), status)
    late = 'LNetError: %d:0:(o2iblnd_cb.c:%d:kiblnd_check_conns()) Timed out RDMA with %s (%d): c: %d, oc: 0, rc: 8' % (
        job.pid(own), rng.choice([3320, 3395]), nid, rng.randrange(7, 120), rng.randrange(9))
    return [tx] if status != 12 else rng.choice([[tx], [late], [
        'LNetError: %d:0:(o2iblnd_cb.c:3311:kiblnd_check_txs_locked()) Timed out tx: active_txs, %d seconds' % (
            job.pid(own), rng.randrange(9)), late]])


@form('gpfs', 'host', True, 'servers')
def gpfs(rng, job, own, peer, status):  # mmfs.log
    to = '%s (%s) on %s port %d fabnum 0' % (job.ib_address(peer), job.peer_name(peer), own.device, own.num)
    error = '[E] VERBS RDMA rdma %s error %s to %s vendor_err %d' % (rng.choice(['send', 'read', 'write']),
                                                                    STATUS[status][0], to, STATUS[status][3])
    closed = '[E] VERBS RDMA closed connection to %s index %d cookie %d error %d' % (
        to, rng.randrange(99), rng.randrange(999), rng.choice([233, 733]))
    return [error] if status != 12 else rng.choice([[error], [error, closed]])


@form('kernel', 'address', False, 'server', flush=False)
def nfs(rng, job, own, peer, status):  # net/sunrpc/xprtrdma/verbs.c, rpcrdma_conn_upcall()
    out = []
    if status != 12 or rng.random() < 0.3:
        out = ['rpcrdma: %s: %s (%d/0x%x)' % (rng.choice(['Send', 'Recv']), STATUS[status][1], status,
                                              STATUS[status][3])]
    closed = [-103, rng.choice([-107, -100])] if status == 12 else [-103]  # it can connect again, or not
    return out + ['rpcrdma: connection to %s:20049 closed (%d)' % (job.ib_address(peer), c) for c in closed]


@form('kernel', None, True, 'all', flush=False)
def kernel(rng, job, own, peer, status):  # drivers/infiniband/hw/mlx5/cq.c, mlx5_handle_error_cqe()
    return ['infiniband %s: mlx5_handle_error_cqe:334:(pid %d): WC error: %d, Message: %s' % (
        own.device, job.pid(own), status, STATUS[status][1])]


PCI = '0000:%s:00.0'


def pci(own):
    return PCI % ('3b', '5e', '86', 'af')[int(own.device[-1]) % 4]


def kernel_unplugged(own):  # drivers/net/ethernet/mellanox/mlx5/core/events.c, port_module()
    return 'mlx5_core %s: Port module event: module 0, Cable unplugged' % pci(own)


def kernel_dead(rng, own):  # .../health.c
    return 'mlx5_core %s: poll_health:%d:(pid 0): device\'s health compromised - reached miss count' % (
        pci(own), rng.choice([174, 761]))


# ---- what stands between -----------------------------------------------------------------------------


def noise(rng, job, own):
    r = rng.randrange(10 ** 6)
    return rng.choice([
        'iter %d: loss %.4f, time: %.2fms, speed: %d toks/s/device' % (r, r / 3e5, r / 250, r % 7000),
        '%s:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[0] -> %d[0] [send] via NET/IB/%d/GDRDMA' % (
            job.own_name(own), job.pid(own), job.pid(own) + 9, job.gpu(own), r % 16, r % 64, r % 63, r % 4),
        '%s:%d:%d [%d] NCCL INFO NET/IB : Using [0]%s:1/IB [RO]; OOB eth0:%s<0>' % (
            job.own_name(own), job.pid(own), job.pid(own), job.gpu(own), own.device, job.address(own)),
        'WARNING: Logging before InitGoogleLogging() is written to STDERR',
        'slurmstepd: error: Detected 1 oom_kill event in StepId=%d.0. Some of the step tasks have been OOM Killed.' % r,
        'Traceback (most recent call last):', '  File "train.py", line %d, in forward' % (r % 999),
        'retrying with status=12 of 12 shards, error %d' % (r % 20),
        '# if you see "Got completion from peer" in here, ask the admins before you resubmit',
        '', '0x%016x 0x%016x' % (r, r * 7), 'step %d done: 12 of 13, opcode 0, len 0' % r,
        '[%s:%05d:0:%05d] parser.c:2036 UCX  INFO  UCX_* env variables: UCX_NET_DEVICES=mlx5_0:1' % (
            job.own_name(own), r % 99999, r % 99999),
        'systemd[1]: Started Session %d of user hpc.' % r, 'IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready',
        'é à ü 中文 %d' % r,
        'perf: interrupt took too long (%d > 2500), lowering kernel.perf_event_max_sample_rate' % r])


def lost_process(rng, job, own, seconds):
    return rng.choice([
        'slurmstepd: error: *** STEP %d.0 ON %s CANCELLED AT %s ***' % (
            job.number, own.host, time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))),
        'srun: error: %s: task %d: Killed' % (own.host, job.rank(own)),
        'Out of memory: Killed process %d (python3) total-vm:%dkB' % (job.pid(own), rng.randrange(10 ** 8))])


# ---- how a line reaches a file ---------------------------------------------------------------------
# A prefix is a function of a line (t, end, text) and says whether it tells the host, and when.

PREFIXES = {}


def prefix(families, host, when):
    def add(f):
        PREFIXES[f.__name__] = (f, families.split(), host, when)
        return f
    return add


def utc(shape, t):
    return time.strftime(shape, time.gmtime(t))


JOBS = 'nccl job hosted'


@prefix('nccl job', False, False)
def bare(job, t, end, text):
    return text


@prefix('nccl job', False, False)
def srun(job, t, end, text):
    return '%*d: %s' % (len(str(len(job.ends))), job.rank(end), text)


@prefix(JOBS, True, False)
def pdsh(job, t, end, text):
    return '%s: %s' % (end.host, text)


@prefix('nccl', False, False)
def torchrun(job, t, end, text):
    return '[%s%d]:%s' % (('rank', 'default')[job.number % 2], job.rank(end), text)


@prefix('nccl job', False, False)
def mpirun(job, t, end, text):
    return '[1,%d]<stderr>:%s' % (job.rank(end), text)


@prefix('nccl job', False, True)
def mpirun_time(job, t, end, text):
    return '%s[1,%d]<stderr>:%s' % (utc('%a %b %e %H:%M:%S %Y', t), job.rank(end), text)


@prefix('nccl job', False, True)
def kubectl(job, t, end, text):
    return '%s.%09dZ %s' % (utc('%Y-%m-%dT%H:%M:%S', t), t % 1 * 1e9, text)


@prefix('nccl job', False, True)
def docker(job, t, end, text):
    return json.dumps({'log': text + '\n', 'stream': 'stderr',
                       'time': '%s.%09dZ' % (utc('%Y-%m-%dT%H:%M:%S', t), t % 1 * 1e9)},
                      ensure_ascii=job.number % 2 == 0)


@prefix('nccl', False, True)
def nccl_time(job, t, end, text):
    return '[%s] %s' % (utc('%Y-%m-%d %H:%M:%S', t), text)


@prefix(JOBS + ' kernel', True, True)
def journal(job, t, end, text):
    return '%s %s %s: %s' % (utc('%b %d %H:%M:%S', t), end.host, unit(job, end), text)


@prefix(JOBS + ' kernel', True, True)
def journal_iso(job, t, end, text):
    return '%s %s %s: %s' % (utc('%Y-%m-%dT%H:%M:%S+0000', t), end.host, unit(job, end), text)


@prefix(JOBS + ' kernel', True, True)
def journal_json(job, t, end, text):
    return json.dumps({'__REALTIME_TIMESTAMP': str(int(t * 1e6)), '_HOSTNAME': end.host, 'PRIORITY': '4',
                       'SYSLOG_IDENTIFIER': unit(job, end).split('[')[0], 'MESSAGE': text})


@prefix('kernel', True, True)
def syslog(job, t, end, text):
    return '%s %s kernel: [%12.6f] %s' % (utc('%b %d %H:%M:%S', t), end.host, t % 1e6, text)


@prefix('kernel', True, True)
def rsyslog(job, t, end, text):
    return '%s.%06d+00:00 %s kernel: %s' % (utc('%Y-%m-%dT%H:%M:%S', t), t % 1 * 1e6, end.host, text)


@prefix('kernel', True, True)
def dmesg(job, t, end, text):
    return '%s: [%s] %s' % (end.host, utc('%a %b %e %H:%M:%S %Y', t), text)


@prefix('gpfs', True, True)
def mmfs(job, t, end, text):
    return '%s: %s.%03d+0000: %s' % (end.host, utc('%Y-%m-%d_%H:%M:%S', t), t % 1 * 1e3, text)


def unit(job, end):
    return 'kernel' if job.form.family == 'kernel' else '%s[%d]' % (('python3', 'slurmstepd')[job.number % 2],
                                                                     job.pid(end))


def coloured(rng, text):
    return '\x1b[%dm%s\x1b[0m' % (rng.choice([31, 33]), text) if rng.random() < 0.5 else \
        text.replace('WARN', '\x1b[1;33mWARN\x1b[0m', 1).replace('error', '\x1b[31merror\x1b[0m', 1)


def wrapped(rng, text):
    """At blanks, as mail does."""
    out, width = [''], rng.choice([72, 76, 80])
    for word in text.split(' '):
        if out[-1] and len(out[-1]) + len(word) + 1 > width:
            out.append(word)
        else:
            out[-1] += (' ' if out[-1] else '') + word
    return out



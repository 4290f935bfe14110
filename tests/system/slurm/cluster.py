"""A real Slurm on this machine: munged, slurmctld and slurmd as children of this process.

Everything lies in one folder, listens on loopback, and ends with the process that started it. No
root, no database, no cgroups: the node claims its CPUs and its memory, and nothing enforces them.
"""

import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PARTITION = "main"
CPUS = 2
DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
PATIENCE = 60  # seconds for a daemon to answer

CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MinJobAge=300
EnforcePartLimits=ALL
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=8000
PartitionName={partition} Nodes=localhost Default=YES MaxTime=INFINITE DefMemPerCPU=100
"""


def missing():
    """Programs of Slurm that this machine does not have."""
    return [name for name in DAEMONS + CLIENTS if find(name) is None]


def find(name):
    """Daemons live in sbin, which an ordinary user's PATH may lack."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


class Cluster:
    """One node in ``folder``; as a context manager it is stopped whatever happens.

    ``environment`` is what a client needs: programs of Slurm that know this cluster come first on
    its PATH. (SLURM_CONF would not do: Snakemake drops such variables before it submits.)
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.children = {}

    @property
    def environment(self):
        return {**os.environ, "PATH": f"{self.folder}/bin{os.pathsep}{os.environ['PATH']}"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *problem):
        self.stop()

    def start(self):
        self._write_files()
        key, socket_ = self.folder / "munge.key", self.folder / "munge.socket"
        self._spawn(
            "munged",
            "--foreground",
            "--key-file",
            key,
            "--socket",
            socket_,
            "--pid-file",
            self.folder / "munge.pid",
            "--log-file",
            self.folder / "munge.log",
            "--seed-file",
            self.folder / "munge.seed",
            "--num-threads",
            "2",
        )
        self._wait("munged", socket_.exists)
        for name, up in (("slurmctld", "UP"), ("slurmd", "idle")):
            self._spawn(name, "-D", "-f", self.folder / "slurm.conf")
            command = ["scontrol", "ping"] if name == "slurmctld" else ["sinfo", "-h", "-o", "%T"]
            self._wait(name, lambda command=command, up=up: up in self.client(*command))

    def client(self, *command):
        """What a program of Slurm prints about this cluster."""
        done = subprocess.run(
            command, env=self.environment, text=True, capture_output=True, timeout=PATIENCE
        )
        return done.stdout

    def stop(self):
        """End the jobs, then the daemons in reverse order, each by its own process id."""
        if "slurmd" in self.children:
            self.client("scancel", f"--user={getpass.getuser()}")
            self._until(lambda: not self.client("squeue", "-h"))
        for child in reversed(self.children.values()):
            child.terminate()
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.children.clear()

    def _write_files(self):
        self.folder.chmod(0o755)  # munged wants its socket within everybody's reach
        for name in ("bin", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755, parents=True)
        ports = free_ports(2)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(
            CONFIGURATION.format(
                folder=self.folder,
                user=getpass.getuser(),
                cpus=CPUS,
                partition=PARTITION,
                controller_port=ports[0],
                node_port=ports[1],
            )
        )
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        for name in CLIENTS:
            program = self.folder / "bin" / name
            program.write_text(
                f"#!/bin/sh\nSLURM_CONF='{configuration}' exec '{find(name)}' \"$@\"\n"
            )
            program.chmod(0o755)

    def _spawn(self, name, *arguments):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.children[name] = subprocess.Popen(
                [find(name), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def _wait(self, name, ready):
        def settled():
            return self.children[name].poll() is not None or ready()

        if not self._until(settled) or self.children[name].poll() is not None:
            log = (self.folder / f"{name}.log").read_text(errors="replace")
            raise RuntimeError(f"{name} does not answer; its log ends with\n{log[-2000:]}")

    @staticmethod
    def _until(done):
        end = time.monotonic() + PATIENCE
        while not done():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True


def free_ports(count):
    """Ports of loopback that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _end_with_parent():
    """Ask Linux for SIGTERM when the parent dies, even by SIGKILL."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

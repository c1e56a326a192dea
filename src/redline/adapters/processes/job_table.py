"""The commands of one server that run, and some that have ended."""

from __future__ import annotations

from threading import Lock

from redline.adapters.processes.job import RunningJob
from redline.core.error_families.wording import naming
from redline.core.errors import LimitReached, SessionNotFound


class JobTable:
    """At most *max_running* jobs run at once; of those that ended the newest *max_kept* stay."""

    def __init__(self, max_running: int, max_kept: int) -> None:
        self._max_running = max_running
        self._max_kept = max_kept
        self._jobs: dict[str, RunningJob] = {}
        self._lock = Lock()

    def add(self, job: RunningJob) -> None:
        """Keep *job*; LimitReached when too many run."""
        with self._lock:
            ended = [key for key, other in self._jobs.items() if other.state().has_ended]
            if len(self._jobs) - len(ended) >= self._max_running:
                raise LimitReached(
                    f"Too many commands are running: {self._max_running}",
                    hint="end one with kill_session, or wait for one to finish",
                )
            for key in ended[: max(0, len(ended) - self._max_kept + 1)]:
                del self._jobs[key]
            self._jobs[job.id] = job

    def get(self, job_id: str, owner: str) -> RunningJob:
        """The job of that owner; SessionNotFound."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None or job.owner != owner:
            raise SessionNotFound(
                f"No such session, or access to it is denied: {job_id}",
                hint=naming("{exec_command} answers a {session_id} while its command runs"),
            )
        return job

    def remove(self, job_id: str) -> None:
        """Drop a job that is no longer needed."""
        with self._lock:
            self._jobs.pop(job_id, None)

    def list_running(self) -> list[RunningJob]:
        """The jobs that have not ended."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.state().has_ended]

    def is_empty(self) -> bool:
        """Whether there is no job, not even one that has ended."""
        return not self._jobs

    def take_all(self) -> list[RunningJob]:
        """Drop every job; return those that have not ended."""
        running = self.list_running()
        with self._lock:
            self._jobs.clear()
        return running

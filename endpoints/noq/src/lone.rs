//! A runtime of noq for one UDP socket and one thread, with few system calls.
//!
//! In a guest, system calls cost more than all that an endpoint computes. A reactor takes
//! two or more for a packet: one waits, one reads, one finds nothing more. Here one call
//! of io_uring sends, waits and reads. Where the kernel has none, the read itself waits,
//! wherever no timer is near.
use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, poll_fn};
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::num::NonZeroUsize;
use std::os::fd::AsRawFd;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use noq::udp::{RecvMeta, Transmit, UdpSocketState};
use noq::{AsyncTimer, AsyncUdpSocket, Runtime, UdpSender};

use crate::ring::Ring;

/// The bound of a read that waits. The kernel counts it in ticks of 10 ms.
const TICK: Duration = Duration::from_millis(10);
/// A read that waits may end so late.
const TICKS: Duration = Duration::from_millis(20);
/// The largest packet, after the kernel has joined some.
const PACKET: usize = 1 << 16;

static STOPPED: AtomicBool = AtomicBool::new(false);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Default)]
struct State {
    all: Vec<Arc<Task>>,
    ready: VecDeque<Arc<Task>>,
    timers: BTreeMap<(Instant, u64), Waker>,
    made: u64,
    socket: Option<Arc<Socket>>,
    ring: Option<Ring>,
    /// How long a wait lasts at least, while packets gather.
    gather: Duration,
    /// Whether some have, and are there.
    gathered: bool,
    packet: Vec<u8>,
    about: Option<RecvMeta>,
    reader: Option<Waker>,
    /// Who waits in `Handle::later`, and until when.
    later: Option<(Instant, Waker)>,
}

#[derive(Default)]
pub struct Lone(Mutex<State>);

struct Socket {
    inner: UdpSocket,
    state: UdpSocketState,
}

struct Task {
    runtime: Arc<Lone>,
    work: Mutex<Option<Work>>,
    queued: AtomicBool,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            self.runtime.lock().ready.push_back(self.clone());
        }
    }
}

/// What this type implements of noq's traits goes through a handle.
#[derive(Clone)]
pub struct Handle(Arc<Lone>);

impl std::fmt::Debug for Handle {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Lone")
    }
}

impl Lone {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("one thread")
    }
}

impl Handle {
    /// A runtime that reads each packet when it arrives. With `gather` it waits for so long
    /// at least, and reads all that have arrived meanwhile.
    pub fn new(gather: Duration) -> Self {
        let made = Self(Arc::default());
        made.0.lock().gather = gather;
        made
    }

    /// Do all work until `work` is done, or until SIGTERM.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> io::Result<Option<T>> {
        let while_waiting = take_sigterm()?;
        let done = Arc::new(Mutex::new(None));
        let place = done.clone();
        self.spawn(Box::pin(async move {
            let found = work.await;
            *place.lock().expect("one thread") = Some(found);
        }));
        let mut idle = false;
        loop {
            while let Some(task) = self.next_task() {
                task.queued.store(false, Ordering::Relaxed);
                let waker = task.clone().into();
                let mut held = task.work.lock().expect("one thread");
                if let Some(work) = held.as_mut()
                    && work
                        .as_mut()
                        .poll(&mut Context::from_waker(&waker))
                        .is_ready()
                {
                    *held = None;
                }
            }
            let found = done.lock().expect("one thread").take();
            if found.is_some() || STOPPED.load(Ordering::Relaxed) {
                self.end();
                self.0.lock().ring.iter_mut().for_each(Ring::flush);
                return Ok(found);
            }
            let now = Instant::now();
            if !self.wake_due(now) {
                idle = !self.wait(now, idle, &while_waiting)?;
            }
        }
    }

    /// Drop all work. Logs are complete when their writers are dropped.
    fn end(&self) {
        let all = std::mem::take(&mut self.0.lock().all);
        for task in all {
            drop(task.work.lock().expect("one thread").take());
        }
    }

    fn next_task(&self) -> Option<Arc<Task>> {
        self.0.lock().ready.pop_front()
    }

    /// Whether a timer was due.
    fn wake_due(&self, now: Instant) -> bool {
        let mut state = self.0.lock();
        let later = state.timers.split_off(&(now, u64::MAX));
        let mut due: Vec<Waker> = std::mem::replace(&mut state.timers, later)
            .into_values()
            .collect();
        due.extend(state.later.take_if(|each| each.0 <= now).map(|each| each.1));
        drop(state);
        let found = !due.is_empty();
        due.into_iter().for_each(Waker::wake);
        found
    }

    /// Wait for a packet or a timer; whether a packet came.
    ///
    /// idle : whether the last wait was for nothing
    fn wait(&self, now: Instant, idle: bool, mask: &libc::sigset_t) -> io::Result<bool> {
        let mut state = self.0.lock();
        let exact = state.timers.keys().next().map(|key| key.0);
        let rough = state.later.as_ref().map(|each| each.0);
        let socket = state.socket.clone().expect("an endpoint is there");
        let gather = state.gather;
        if let Some(ring) = &mut state.ring {
            let until = exact.into_iter().chain(rough).min();
            if !ring.wait(until.map(|at| at - now), gather, mask)? {
                return Ok(false);
            }
            let reader = state.reader.take();
            drop(state);
            reader.into_iter().for_each(Waker::wake);
            return Ok(true);
        }
        let reads = gather.is_zero() && !idle && exact.is_none_or(|at| at >= now + TICKS);
        if !reads {
            let until = exact.into_iter().chain(rough).min();
            let now = rest(now, until, gather);
            if !readable(&socket.inner, until.map(|at| at.saturating_duration_since(now)), mask)? {
                return Ok(false);
            }
        }
        if !gather.is_zero() {
            state.gathered = true;
            let reader = state.reader.take();
            drop(state);
            reader.into_iter().for_each(Waker::wake);
            return Ok(true);
        }
        let mut about = [RecvMeta::default()];
        state.packet.resize(PACKET, 0);
        let mut room = [IoSliceMut::new(&mut state.packet)];
        match socket
            .state
            .recv((&socket.inner).into(), &mut room, &mut about)
        {
            Ok(_) => {
                state.about = Some(about[0]);
                let reader = state.reader.take();
                drop(state);
                if let Some(reader) = reader {
                    reader.wake();
                }
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            // A packet of ICMP about an earlier one, for example.
            Err(_) => Ok(true),
        }
    }

    /// Wait until a time, or somewhat longer: until the next packet or for two ticks. One
    /// future can wait so at a time.
    pub fn later(&self, at: Instant) -> impl Future<Output = ()> + Send {
        let runtime = self.0.clone();
        poll_fn(move |context| {
            if Instant::now() >= at {
                return Poll::Ready(());
            }
            runtime.lock().later = Some((at, context.waker().clone()));
            Poll::Pending
        })
    }
}

/// Sleep for so long, but not beyond `until`; then, the time.
fn rest(now: Instant, until: Option<Instant>, gather: Duration) -> Instant {
    if gather.is_zero() {
        return now;
    }
    let left = until.map_or(gather, |at| at.saturating_duration_since(now));
    std::thread::sleep(left.min(gather));
    Instant::now()
}

/// Whether a packet is there, after a wait for at most so long.
fn readable(
    socket: &UdpSocket,
    longest: Option<Duration>,
    mask: &libc::sigset_t,
) -> io::Result<bool> {
    let mut polled = libc::pollfd {
        fd: socket.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let longest = longest.map(|wait| libc::timespec {
        tv_sec: wait.as_secs() as libc::time_t,
        tv_nsec: wait.subsec_nanos().into(),
    });
    let place = longest
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: all three live longer than the call, which writes to `polled` alone.
    match unsafe { libc::ppoll(&mut polled, 1, place, mask) } {
        0 => Ok(false),
        1 => Ok(true),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
    }
}

extern "C" fn stop(_: libc::c_int) {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Let SIGTERM come only during waits, with the mask that is returned.
fn take_sigterm() -> io::Result<libc::sigset_t> {
    // SAFETY: the sets are plain numbers, and the handler stores a flag and does no more.
    unsafe {
        let (mut ours, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut ours);
        libc::sigaddset(&mut ours, libc::SIGTERM);
        let handler = stop as extern "C" fn(libc::c_int);
        if libc::sigprocmask(libc::SIG_BLOCK, &ours, &mut before) != 0
            || libc::signal(libc::SIGTERM, handler as libc::sighandler_t) == libc::SIG_ERR
        {
            return Err(io::Error::last_os_error());
        }
        Ok(before)
    }
}

impl Runtime for Handle {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        let mut state = self.0.lock();
        state.made += 1;
        Box::pin(Timer {
            runtime: self.0.clone(),
            key: (at, state.made),
        })
    }

    fn spawn(&self, work: Work) {
        let task = Arc::new(Task {
            runtime: self.0.clone(),
            work: Mutex::new(Some(work)),
            queued: AtomicBool::new(false),
        });
        self.0.lock().all.push(task.clone());
        task.wake();
    }

    fn wrap_udp_socket(&self, inner: UdpSocket) -> io::Result<Box<dyn AsyncUdpSocket>> {
        let state = UdpSocketState::new((&inner).into())?;
        let mut held = self.0.lock();
        held.ring = Ring::new(&inner).ok();
        if held.ring.is_some() || held.gather.is_zero() {
            inner.set_nonblocking(false)?;
            inner.set_read_timeout(Some(TICK))?;
        }
        held.socket = Some(Arc::new(Socket { inner, state }));
        drop(held);
        Ok(Box::new(self.clone()))
    }
}

#[derive(Clone)]
struct Timer {
    runtime: Arc<Lone>,
    key: (Instant, u64),
}

impl std::fmt::Debug for Timer {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{:?}", self.key)
    }
}

impl AsyncTimer for Timer {
    fn reset(mut self: Pin<&mut Self>, at: Instant) {
        self.runtime.lock().timers.remove(&self.key);
        self.key.0 = at;
    }

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.key.0 {
            self.runtime.lock().timers.remove(&self.key);
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        self.runtime.lock().timers.insert(self.key, waker);
        Poll::Pending
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.runtime.lock().timers.remove(&self.key);
    }
}

impl AsyncUdpSocket for Handle {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        let socket = self.0.lock().socket.clone();
        let socket = socket.expect("the socket of this handle");
        Box::pin(Sender(self.0.clone(), socket))
    }

    fn poll_recv(
        &mut self,
        context: &mut Context<'_>,
        rooms: &mut [IoSliceMut<'_>],
        about: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if let Some(ring) = &mut state.ring {
            let mut count = 0;
            while count < rooms.len()
                && let Some(found) = ring.next(&mut rooms[count])
            {
                about[count] = found;
                count += 1;
            }
            if count > 0 {
                return Poll::Ready(Ok(count));
            }
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        if state.gathered {
            let socket = state.socket.clone().expect("the socket of this handle");
            match socket.state.recv((&socket.inner).into(), rooms, about) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(count) if count == rooms.len() => return Poll::Ready(Ok(count)),
                done => {
                    state.gathered = false;
                    return Poll::Ready(done);
                }
            }
            state.gathered = false;
        }
        let Some(found) = state.about.take() else {
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        rooms[0][..found.len].copy_from_slice(&state.packet[..found.len]);
        about[0] = found;
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        let state = self.0.lock();
        let socket = state.socket.as_ref();
        socket
            .expect("the socket of this handle")
            .inner
            .local_addr()
    }

    fn max_receive_segments(&self) -> NonZeroUsize {
        let state = self.0.lock();
        let socket = state.socket.as_ref();
        socket
            .expect("the socket of this handle")
            .state
            .gro_segments()
    }

    fn may_fragment(&self) -> bool {
        let state = self.0.lock();
        let socket = state.socket.as_ref();
        socket
            .expect("the socket of this handle")
            .state
            .may_fragment()
    }
}

struct Sender(Arc<Lone>, Arc<Socket>);

impl std::fmt::Debug for Sender {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Sender")
    }
}

impl UdpSender for Sender {
    /// An end host has no queue of its own that could be full. What cannot be sent counts
    /// as lost, as on an interface that is down.
    fn poll_send(
        self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        _: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.0.lock().ring {
            Some(ring) => ring.send(transmit),
            None => drop(self.1.state.try_send((&self.1.inner).into(), transmit)),
        }
        Poll::Ready(Ok(()))
    }

    fn max_transmit_segments(&self) -> NonZeroUsize {
        self.1.state.max_gso_segments()
    }
}

/// The first of two that is done; the other one is dropped.
pub async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Pending => other.as_mut().poll(context),
        ready => ready,
    })
    .await
}

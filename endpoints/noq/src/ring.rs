//! Datagrams by io_uring: one system call sends what is due, waits, and reads.
//!
//! The kernel puts each packet into a buffer when it arrives, and what is to be sent goes
//! down with the next wait. Structures and numbers are those of linux/io_uring.h.
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{addr_of_mut, null, null_mut};
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::time::Duration;

use libc::{c_long, c_void};
use noq::udp::{EcnCodepoint, RecvMeta, Transmit};

const REQUESTS: u32 = 64;
const ANSWERS: u32 = 256;
/// A power of two.
const BUFFERS: usize = 64;
/// The largest packet, after the kernel has joined some, with what stands before it.
const BUFFER: usize = 1 << 16;
const BURSTS: usize = 32;
const CONTROL: usize = 96;
const SEGMENT: libc::c_int = 103; // UDP_SEGMENT
const JOINED: libc::c_int = 104; // UDP_GRO

const CQSIZE: u32 = 1 << 3;
const SUBMIT_ALL: u32 = 1 << 7;
const SINGLE_ISSUER: u32 = 1 << 12;
const DEFER_TASKRUN: u32 = 1 << 13;
/// One mapping, waits with a bound, no answer to what went well, and waits that last.
const MUST: u32 = 1 << 0 | 1 << 8 | 1 << 11 | 1 << 15;
const RINGS_AT: libc::off_t = 0;
const REQUESTS_AT: libc::off_t = 0x1000_0000;
const GETEVENTS: c_long = 1 << 0;
const EXT_ARG: c_long = 1 << 3;
const GIVE_BUFFERS: c_long = 22;
const NOP: u8 = 0;
const SENDMSG: u8 = 9;
const RECVMSG: u8 = 10;
const BUFFER_SELECT: u8 = 1 << 5;
const SKIP_SUCCESS: u8 = 1 << 6;
const MULTISHOT: u16 = 1 << 1;
const HAS_BUFFER: u32 = 1 << 0;
const MORE: u32 = 1 << 1;
const NO_BURST: u64 = 1000;
const RECEIVED: u64 = 1001;

#[repr(C)]
#[derive(Default)]
struct Offsets {
    head: u32,
    tail: u32,
    mask: u32,
    entries: u32,
    /// Of answers: `overflow`. Of requests: `flags`.
    fifth: u32,
    /// Of answers: `cqes`. Of requests: `dropped`.
    sixth: u32,
    /// Of requests: `array`.
    seventh: u32,
    rest: [u32; 3],
}

#[repr(C)]
#[derive(Default)]
struct Params {
    requests: u32,
    answers: u32,
    flags: u32,
    thread: [u32; 2],
    features: u32,
    rest: [u32; 4],
    request: Offsets,
    answer: Offsets,
}

#[repr(C)]
#[derive(Default)]
struct Request {
    code: u8,
    flags: u8,
    priority: u16,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    more: u32,
    name: u64,
    rest: [u64; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Answer {
    name: u64,
    result: i32,
    flags: u32,
}

/// A place in the list of free buffers; `rest` of the first one is the list's tail.
#[repr(C)]
struct Free {
    address: u64,
    length: u32,
    number: u16,
    rest: AtomicU16,
}

#[repr(C)]
struct Wait {
    mask: u64,
    mask_size: u32,
    shortest_us: u32,
    longest: u64,
}

/// Packets of one length to one place, which the kernel takes apart.
struct Burst {
    data: Vec<u8>,
    to: libc::sockaddr_in,
    part: libc::iovec,
    control: [u64; CONTROL / 8],
    message: libc::msghdr,
}

pub struct Ring {
    ring: OwnedFd,
    socket: i32,
    requests: *mut Request,
    request_tail: *const AtomicU32,
    answers: *const Answer,
    answer_head: *const AtomicU32,
    answer_tail: *const AtomicU32,
    queued: u32,
    armed: bool,
    /// Of the requests to read: how much room each buffer has for addresses and the like.
    form: Box<libc::msghdr>,
    buffers: *mut u8,
    free: *mut Free,
    bursts: Vec<Box<Burst>>,
    used: usize,
}

// SAFETY: the mappings are this ring's own, and one thread uses it.
unsafe impl Send for Ring {}

fn map(size: usize, fd: i32, at: libc::off_t) -> io::Result<*mut u8> {
    let kind = if fd < 0 {
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS
    } else {
        libc::MAP_SHARED
    };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping takes the place of no other one.
    match unsafe { libc::mmap(null_mut(), size, access, kind, fd, at) } {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        place => Ok(place.cast()),
    }
}

impl Ring {
    /// A ring for an IPv4 socket; an error if the kernel has none. It is never unmapped,
    /// since it lasts as long as the program.
    pub fn new(socket: &UdpSocket) -> io::Result<Self> {
        let mut about = Params {
            answers: ANSWERS,
            flags: SINGLE_ISSUER | DEFER_TASKRUN | CQSIZE | SUBMIT_ALL,
            ..Params::default()
        };
        // SAFETY: `about` is what the call writes to.
        let fd = unsafe { libc::syscall(libc::SYS_io_uring_setup, REQUESTS, &raw mut about) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = i32::try_from(fd).map_err(io::Error::other)?;
        // SAFETY: the descriptor is new.
        let ring = unsafe { OwnedFd::from_raw_fd(fd) };
        if about.features & MUST != MUST {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let order = about.request.seventh as usize;
        let cells = about.answer.sixth as usize;
        let size = (order + about.requests as usize * size_of::<u32>())
            .max(cells + about.answers as usize * size_of::<Answer>());
        let both = map(size, fd, RINGS_AT)?;
        let requests = map(
            about.requests as usize * size_of::<Request>(),
            fd,
            REQUESTS_AT,
        )?;
        let free: *mut Free = map(BUFFERS * size_of::<Free>(), -1, 0)?.cast();
        let buffers = map(BUFFERS * BUFFER, -1, 0)?;
        let given: [u64; 5] = [free as u64, BUFFERS as u64, 0, 0, 0];
        // SAFETY: `given` is an io_uring_buf_reg, and the list stays.
        let done = unsafe {
            libc::syscall(
                libc::SYS_io_uring_register,
                fd,
                GIVE_BUFFERS,
                given.as_ptr(),
                1,
            )
        };
        if done < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel told these places within the mappings; plain numbers else.
        let mut made = unsafe {
            for i in 0..about.requests {
                both.add(order).cast::<u32>().add(i as usize).write(i);
            }
            let mut form: Box<libc::msghdr> = Box::new(zeroed());
            form.msg_namelen = size_of::<libc::sockaddr_in>() as u32;
            form.msg_controllen = CONTROL;
            Self {
                ring,
                socket: socket.as_raw_fd(),
                requests: requests.cast(),
                request_tail: both.add(about.request.tail as usize).cast(),
                answers: both.add(cells).cast(),
                answer_head: both.add(about.answer.head as usize).cast(),
                answer_tail: both.add(about.answer.tail as usize).cast(),
                queued: 0,
                armed: false,
                form,
                buffers,
                free,
                bursts: Vec::new(),
                used: 0,
            }
        };
        (0..BUFFERS).for_each(|number| made.give_back(number));
        Ok(made)
    }

    fn give_back(&mut self, number: usize) {
        // SAFETY: the list has BUFFERS places, and its tail lies in the first one.
        unsafe {
            let tail = &(*self.free).rest;
            let at = tail.load(Ordering::Relaxed);
            let place = self.free.add(at as usize % BUFFERS);
            (*place).address = self.buffers.add(number * BUFFER) as u64;
            (*place).length = BUFFER as u32;
            (*place).number = number as u16;
            tail.store(at.wrapping_add(1), Ordering::Release);
        }
    }

    fn request(&mut self, made: Request) {
        // SAFETY: at most BURSTS and two requests are queued at a time.
        unsafe {
            let tail = &*self.request_tail;
            let at = tail.load(Ordering::Relaxed);
            self.requests.add((at % REQUESTS) as usize).write(made);
            tail.store(at.wrapping_add(1), Ordering::Release);
        }
        self.queued += 1;
    }

    /// Send a packet with the next wait.
    pub fn send(&mut self, transmit: &Transmit<'_>) {
        if self.used == BURSTS && self.enter(0, 0, None).is_err() {
            return; // lost
        }
        if self.bursts.len() == self.used {
            // SAFETY: plain numbers and pointers.
            self.bursts.push(Box::new(unsafe { zeroed_burst() }));
        }
        let burst = &mut *self.bursts[self.used];
        if !burst.fill(transmit) {
            return;
        }
        let address = addr_of_mut!(burst.message) as u64;
        let made = Request {
            code: SENDMSG,
            flags: SKIP_SUCCESS,
            fd: self.socket,
            address,
            length: 1,
            more: libc::MSG_DONTWAIT as u32,
            name: self.used as u64,
            ..Request::default()
        };
        self.used += 1;
        self.request(made);
    }

    /// Send what is queued.
    pub fn flush(&mut self) {
        if self.queued > 0 {
            let _ = self.enter(0, 0, None);
        }
    }

    /// Send what is queued and wait for a packet, but not less than `shortest` unless that
    /// is more than `longest`, or all buffers are full. Whether a packet is there.
    pub fn wait(
        &mut self,
        longest: Option<Duration>,
        shortest: Duration,
        mask: &libc::sigset_t,
    ) -> io::Result<bool> {
        if !self.armed {
            self.armed = true;
            let made = Request {
                code: RECVMSG,
                flags: BUFFER_SELECT,
                priority: MULTISHOT,
                fd: self.socket,
                address: addr_of_mut!(*self.form) as u64,
                length: 1,
                name: RECEIVED,
                ..Request::default()
            };
            self.request(made);
        }
        if self.queued == 0 {
            // A call that fails takes time, and a wait alone fails at its end.
            self.request(Request {
                code: NOP,
                flags: SKIP_SUCCESS,
                fd: -1,
                name: NO_BURST,
                ..Request::default()
            });
        }
        let shortest = longest.map_or(shortest, |wait| wait.min(shortest));
        let shortest_us = shortest.as_micros() as u32;
        let longest = longest.map(|wait| libc::timespec {
            tv_sec: wait.as_secs() as libc::time_t,
            tv_nsec: wait.subsec_nanos().into(),
        });
        let wait = Wait {
            mask: std::ptr::from_ref(mask) as u64,
            mask_size: 8,
            shortest_us,
            longest: longest
                .as_ref()
                .map_or(0, |at| std::ptr::from_ref(at) as u64),
        };
        let least = if shortest_us > 0 { BUFFERS as u32 } else { 1 };
        self.enter(GETEVENTS | EXT_ARG, least, Some(&wait))
    }

    fn enter(&mut self, flags: c_long, least: u32, wait: Option<&Wait>) -> io::Result<bool> {
        let place = wait.map_or(null(), std::ptr::from_ref);
        // SAFETY: all that requests point to belongs to this ring.
        let done = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.ring.as_raw_fd(),
                self.queued,
                least,
                flags,
                place,
                size_of::<Wait>(),
            )
        };
        if done < 0 {
            let error = io::Error::last_os_error();
            if !matches!(error.raw_os_error(), Some(libc::EINTR | libc::ETIME)) {
                return Err(error);
            }
        }
        self.queued = 0;
        Ok(self.look())
    }

    /// Whether a packet is there. A queue of this host that is full holds the program up,
    /// as it does without a ring.
    fn look(&mut self) -> bool {
        let mut found = false;
        // SAFETY: answers between head and tail are this program's.
        unsafe {
            let end = (*self.answer_tail).load(Ordering::Acquire);
            let mut at = (*self.answer_head).load(Ordering::Relaxed);
            while at != end {
                let answer = *self.answers.add((at % ANSWERS) as usize);
                found |= answer.name == RECEIVED && answer.result >= 0;
                if answer.result == -libc::EAGAIN
                    && let Some(burst) = self.bursts[..self.used].get(answer.name as usize)
                {
                    libc::sendmsg(self.socket, &raw const burst.message, 0);
                }
                at = at.wrapping_add(1);
            }
        }
        self.used = 0;
        found
    }

    /// The next packet that is there.
    pub fn next(&mut self, room: &mut [u8]) -> Option<RecvMeta> {
        loop {
            // SAFETY: answers between head and tail are this program's.
            let answer = unsafe {
                let head = &*self.answer_head;
                let at = head.load(Ordering::Relaxed);
                if at == (*self.answer_tail).load(Ordering::Acquire) {
                    return None;
                }
                let answer = *self.answers.add((at % ANSWERS) as usize);
                head.store(at.wrapping_add(1), Ordering::Release);
                answer
            };
            if answer.name != RECEIVED {
                continue;
            }
            if answer.flags & MORE == 0 {
                self.armed = false;
            }
            if answer.flags & HAS_BUFFER == 0 {
                continue;
            }
            let number = (answer.flags >> 16) as usize;
            // SAFETY: the kernel wrote `result` bytes to this buffer, and leaves it alone.
            let about = unsafe {
                let place = self.buffers.add(number * BUFFER);
                read(
                    std::slice::from_raw_parts(place, answer.result as usize),
                    room,
                )
            };
            self.give_back(number);
            return Some(about);
        }
    }
}

/// Copy the packet of a buffer. Before it stand io_uring_recvmsg_out, the address of the
/// sender, and the control messages.
unsafe fn read(buffer: &[u8], room: &mut [u8]) -> RecvMeta {
    let number = |at: usize| {
        let four = buffer[at..at + 4].try_into().expect("four bytes");
        u32::from_ne_bytes(four) as usize
    };
    let (control_size, length) = (number(4), number(8));
    let control_at = 16 + size_of::<libc::sockaddr_in>();
    let data = &buffer[control_at + CONTROL..];
    let length = length.min(data.len()).min(room.len());
    room[..length].copy_from_slice(&data[..length]);
    let mut about = RecvMeta::default();
    about.len = length;
    about.stride = length;
    // SAFETY: the kernel wrote an address and control messages, all aligned to 8 bytes.
    unsafe {
        let from = &*buffer.as_ptr().add(16).cast::<libc::sockaddr_in>();
        about.addr = SocketAddr::V4(SocketAddrV4::new(
            Ipv4Addr::from(from.sin_addr.s_addr.to_ne_bytes()),
            u16::from_be(from.sin_port),
        ));
        let mut all: libc::msghdr = zeroed();
        all.msg_control = buffer.as_ptr().add(control_at) as *mut c_void;
        all.msg_controllen = control_size;
        let mut each = libc::CMSG_FIRSTHDR(&raw const all);
        while let Some(one) = each.as_ref() {
            let value = libc::CMSG_DATA(each);
            match (one.cmsg_level, one.cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_TOS) => about.ecn = EcnCodepoint::from_bits(*value),
                (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                    let to = value.cast::<libc::in_pktinfo>().read_unaligned();
                    let octets = to.ipi_addr.s_addr.to_ne_bytes();
                    about.dst_ip = Some(IpAddr::V4(Ipv4Addr::from(octets)));
                    about.interface_index = Some(to.ipi_ifindex as u32);
                }
                (libc::SOL_UDP, JOINED) => {
                    about.stride = value.cast::<libc::c_int>().read_unaligned() as usize;
                }
                _ => {}
            }
            each = libc::CMSG_NXTHDR(&raw const all, each);
        }
    }
    about
}

unsafe fn zeroed_burst() -> Burst {
    // SAFETY: as of the caller.
    unsafe {
        Burst {
            data: Vec::new(),
            to: zeroed(),
            part: zeroed(),
            control: [0; CONTROL / 8],
            message: zeroed(),
        }
    }
}

impl Burst {
    /// Take a packet over; false for an address of another family.
    fn fill(&mut self, transmit: &Transmit<'_>) -> bool {
        let SocketAddr::V4(to) = transmit.destination else {
            return false;
        };
        self.data.clear();
        self.data.extend_from_slice(transmit.contents);
        self.to.sin_family = libc::AF_INET as libc::sa_family_t;
        self.to.sin_port = to.port().to_be();
        self.to.sin_addr.s_addr = u32::from_ne_bytes(to.ip().octets());
        self.part.iov_base = self.data.as_mut_ptr().cast();
        self.part.iov_len = self.data.len();
        self.message.msg_name = addr_of_mut!(self.to).cast();
        self.message.msg_namelen = size_of::<libc::sockaddr_in>() as u32;
        self.message.msg_iov = addr_of_mut!(self.part);
        self.message.msg_iovlen = 1;
        self.message.msg_control = self.control.as_mut_ptr().cast();
        let mut size = 0;
        let tos = transmit.ecn.map_or(0, |codepoint| codepoint as libc::c_int);
        self.push(&mut size, libc::IPPROTO_IP, libc::IP_TOS, tos);
        if let Some(each) = transmit.segment_size
            && each < transmit.contents.len()
        {
            self.push(&mut size, libc::SOL_UDP, SEGMENT, each as u16);
        }
        if let Some(IpAddr::V4(from)) = transmit.src_ip {
            let from = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: libc::in_addr {
                    s_addr: u32::from_ne_bytes(from.octets()),
                },
                ipi_addr: libc::in_addr { s_addr: 0 },
            };
            self.push(&mut size, libc::IPPROTO_IP, libc::IP_PKTINFO, from);
        }
        self.message.msg_controllen = size;
        true
    }

    fn push<T>(&mut self, size: &mut usize, level: i32, kind: i32, value: T) {
        let length = size_of::<T>() as u32;
        // SAFETY: three messages of at most 32 bytes fit into `control`.
        unsafe {
            let place = self.control.as_mut_ptr().cast::<u8>().add(*size);
            let head = place.cast::<libc::cmsghdr>();
            (*head).cmsg_len = libc::CMSG_LEN(length) as usize;
            (*head).cmsg_level = level;
            (*head).cmsg_type = kind;
            libc::CMSG_DATA(head).cast::<T>().write_unaligned(value);
            *size += libc::CMSG_SPACE(length) as usize;
        }
    }
}

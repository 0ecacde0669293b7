//! An endpoint of mpbench over noq: one QUIC connection over one or several paths.
//!
//! docs/quic.md of mpbench describes the command line and the files. Certificates are made
//! anew and not checked: both ends are in one guest.
use std::collections::HashMap;
use std::fs::File;
use std::future::poll_fn;
use std::io::{BufWriter, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use noq::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use noq::{
    Connection, Endpoint, EndpointConfig, FourTuple, PathId, PathStatus, RecvStream, Runtime,
    SendStream, TransportConfig, VarInt,
};
use tokio::signal::unix::{SignalKind, signal};

mod lone;
mod relay;
mod ring;

const BLOCK: usize = 1 << 16;
const EVERY: Duration = Duration::from_millis(10);
/// Paths whose state is looked for; attempts that failed take numbers too.
const MOST_PATHS: u32 = 32;
/// A path that is refused right after the handshake is asked for again so often.
const MOST_TRIES: u32 = 1000;
const AGAIN: Duration = Duration::from_millis(1);
const WINDOW: u32 = 6 << 20;
/// Bytes of packets that wait in a socket.
static HELD: libc::c_int = 4 << 20;

#[derive(Debug)]
struct Anyone(Arc<rustls::crypto::CryptoProvider>);
impl rustls::client::danger::ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &[rustls::pki_types::CertificateDer<'_>],
        _: &rustls::pki_types::ServerName<'_>,
        _: &[u8],
        _: rustls::pki_types::UnixTime,
    ) -> Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        m: &[u8],
        c: &rustls::pki_types::CertificateDer<'_>,
        d: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(m, c, d, &self.0.signature_verification_algorithms)
    }
    fn verify_tls13_signature(
        &self,
        m: &[u8],
        c: &rustls::pki_types::CertificateDer<'_>,
        d: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(m, c, d, &self.0.signature_verification_algorithms)
    }
    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Nanoseconds of the monotonic clock, which all hosts of a guest share.
fn now_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `now` and to nothing else.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

struct Options(HashMap<String, String>);
impl Options {
    fn new(words: &[String]) -> Result<Self> {
        let mut found = HashMap::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .with_context(|| format!("{word}: no option"))?;
            let value = match name {
                "reverse" => String::new(),
                _ => words
                    .next()
                    .with_context(|| format!("{word}: no value"))?
                    .clone(),
            };
            found.insert(name.to_owned(), value);
        }
        Ok(Self(found))
    }
    fn get(&self, name: &str) -> Result<&str> {
        let value = self.0.get(name).map(String::as_str);
        value.with_context(|| format!("--{name} is missing"))
    }
    fn file(&self, name: &str, head: &str) -> Result<BufWriter<File>> {
        let place = PathBuf::from(self.get("out")?).join(name);
        let mut file = BufWriter::new(File::create(place)?);
        writeln!(file, "{head}")?;
        Ok(file)
    }
}

fn transport(options: &Options) -> Result<Arc<TransportConfig>> {
    let control = options.get("control")?;
    let factory: Arc<dyn ControllerFactory + Send + Sync> = match control {
        "cubic" => Arc::new(CubicConfig::default()),
        "reno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(Bbr3Config::default()),
        _ => bail!("--control {control}: unknown; known are cubic, reno, bbr"),
    };
    let mut settings = TransportConfig::default();
    settings.congestion_controller_factory(factory);
    settings.max_concurrent_multipath_paths(8);
    settings.send_window(4 << 20);
    settings.stream_receive_window(VarInt::from_u32(WINDOW));
    settings.receive_window(VarInt::from_u32(WINDOW));
    let idle = if options.0.contains_key("relay") {
        600
    } else {
        30
    };
    settings.max_idle_timeout(Some(Duration::from_secs(idle).try_into()?));
    if let Ok(folder) = std::env::var("QLOGDIR") {
        settings.qlog_from_path(folder, "noq");
    }
    Ok(Arc::new(settings))
}

/// The client's order to the server: who sends, and for how long or how much.
#[derive(Clone, Copy)]
struct Ask {
    reverse: bool,
    by_size: bool,
    /// Nanoseconds or bytes.
    left: u64,
}
impl Ask {
    fn new(options: &Options) -> Result<Self> {
        let by_size = options.0.contains_key("size");
        let left = if by_size {
            options.get("size")?.parse()?
        } else {
            (1e9 * options.get("duration")?.parse::<f64>()?) as u64
        };
        let reverse = options.0.contains_key("reverse");
        Ok(Self {
            reverse,
            by_size,
            left,
        })
    }
    fn bytes(self) -> [u8; 9] {
        let mut found = [u8::from(self.reverse) | u8::from(self.by_size) << 1; 9];
        found[1..].copy_from_slice(&self.left.to_be_bytes());
        found
    }
    fn read(bytes: [u8; 9]) -> Result<Self> {
        Ok(Self {
            reverse: bytes[0] & 1 != 0,
            by_size: bytes[0] & 2 != 0,
            left: u64::from_be_bytes(bytes[1..].try_into()?),
        })
    }
}

/// Send for some time or some bytes, and note the state of the paths meanwhile.
async fn send(
    lone: &lone::Handle,
    stream: &mut SendStream,
    conn: &Connection,
    mut ask: Ask,
    options: &Options,
) -> Result<()> {
    let mut file = options.file("paths.csv", "time_ns,path,rtt_us,cwnd_bytes,lost,sent")?;
    let block = vec![0u8; BLOCK];
    let end = Instant::now() + Duration::from_nanos(if ask.by_size { 0 } else { ask.left });
    let mut due = Instant::now();
    while if ask.by_size {
        ask.left > 0
    } else {
        Instant::now() < end
    } {
        let most = if ask.by_size {
            BLOCK.min(ask.left as usize)
        } else {
            BLOCK
        };
        let written = async { Some(stream.write(&block[..most]).await) };
        let waited = async {
            lone.later(due).await;
            None
        };
        if let Some(sent) = lone::first(written, waited).await {
            let sent = sent? as u64;
            if ask.by_size {
                ask.left -= sent;
            }
        }
        if Instant::now() >= due {
            due = Instant::now() + EVERY;
            note_paths(&mut file, conn)?;
        }
    }
    stream.finish()?;
    let mut stopped = pin!(stream.stopped());
    loop {
        let arrived = async { stopped.as_mut().await.map(|_| true) };
        let waited = async {
            lone.later(due).await;
            Ok(false)
        };
        if matches!(lone::first(arrived, waited).await, Ok(true) | Err(_)) {
            break;
        }
        due = Instant::now() + EVERY;
        note_paths(&mut file, conn)?;
    }
    note_paths(&mut file, conn)?;
    Ok(file.flush()?)
}

fn note_paths(file: &mut BufWriter<File>, conn: &Connection) -> Result<()> {
    let there = (0..MOST_PATHS).filter_map(|id| conn.path(PathId::from(id)));
    for (number, path) in there.enumerate() {
        let state = path.stats();
        writeln!(
            file,
            "{},{},{},{},{},{}",
            now_ns(),
            number + 1,
            state.rtt.as_micros(),
            state.cwnd,
            state.lost_packets,
            state.sent_packets
        )?;
    }
    Ok(())
}

/// Read until the sender has finished, and note what arrives.
async fn receive(stream: &mut RecvStream, options: &Options) -> Result<()> {
    let mut file = options.file("received.csv", "time_ns,bytes")?;
    let mut bytes = 0;
    let mut due = Instant::now();
    while let Some(chunk) = stream.read_chunk(BLOCK).await? {
        bytes += chunk.len();
        if Instant::now() >= due {
            writeln!(file, "{},{bytes}", now_ns())?;
            due = Instant::now() + EVERY;
            bytes = 0;
        }
    }
    writeln!(file, "{},{bytes}", now_ns())?;
    Ok(file.flush()?)
}

/// What drives an endpoint: a runtime of this program, or tokio's for relays.
#[derive(Clone)]
enum Drive {
    Lone(lone::Handle),
    Tokio,
}
impl Drive {
    fn runtime(&self) -> Arc<dyn Runtime> {
        match self {
            Self::Lone(handle) => Arc::new(handle.clone()),
            Self::Tokio => Arc::new(noq::TokioRuntime),
        }
    }
    fn endpoint(&self, at: SocketAddr, config: Option<noq::ServerConfig>) -> Result<Endpoint> {
        let socket = UdpSocket::bind(at)?;
        widen(&socket);
        Ok(Endpoint::new(
            EndpointConfig::default(),
            config,
            socket,
            self.runtime(),
        )?)
    }
}

/// Make room for the packets that gather, as far as this user may.
fn widen(socket: &UdpSocket) {
    for name in [libc::SO_RCVBUFFORCE, libc::SO_RCVBUF] {
        // SAFETY: the call reads `HELD` and nothing else.
        let failed = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                name,
                (&raw const HELD).cast(),
                size_of_val(&HELD) as libc::socklen_t,
            )
        };
        if failed == 0 {
            return;
        }
    }
}

async fn server(drive: Drive, options: &Options) -> Result<()> {
    let cert = rcgen::generate_simple_self_signed(vec!["server".into()])?;
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(cert.signing_key.serialize_der());
    let mut config = noq::ServerConfig::with_single_cert(vec![cert.cert.into()], key.into())?;
    config.transport_config(transport(options)?);
    let endpoint = drive.endpoint(options.get("listen")?.parse()?, Some(config))?;
    println!("ready");
    let Drive::Lone(lone) = drive else {
        return relay::serve(&endpoint, options.get("relay")?.parse()?).await;
    };
    while let Some(incoming) = endpoint.accept().await {
        let conn = incoming.await?;
        let (mut back, mut forth) = conn.accept_bi().await?;
        let mut asked = [0u8; 9];
        forth.read_exact(&mut asked).await?;
        let ask = Ask::read(asked)?;
        if ask.reverse {
            send(&lone, &mut back, &conn, ask, options).await?;
        } else {
            receive(&mut forth, options).await?;
            back.finish()?; // the client waits for it
        }
        conn.closed().await;
    }
    Ok(())
}

/// One connection. Its further paths open while data flow already.
async fn connect(ends: &relay::Ends) -> Result<Connection> {
    let connecting = ends
        .endpoint
        .connect_with(ends.config.clone(), ends.remote, "server")?;
    let conn = connecting.await?;
    for local in &ends.from[1..] {
        let pair = FourTuple::new(ends.remote, Some(*local));
        let (conn, local) = (conn.clone(), *local);
        let runtime = ends.runtime.clone();
        ends.runtime.spawn(Box::pin(async move {
            let mut tries = 0;
            // A path is kept for as long as its handle is.
            let _path = loop {
                match conn.open_path(pair, PathStatus::Available).await {
                    Ok(path) => break path,
                    Err(error) if tries == MOST_TRIES || conn.close_reason().is_some() => {
                        return println!("path from {local}: {error}");
                    }
                    Err(_) => tries += 1,
                }
                let mut pause = runtime.new_timer(runtime.now() + AGAIN);
                poll_fn(|context| pause.as_mut().poll(context)).await;
            };
            conn.closed().await;
        }));
    }
    Ok(conn)
}

async fn client(drive: Drive, options: &Options) -> Result<()> {
    let remote: SocketAddr = options.get("connect")?.parse()?;
    let from: Vec<IpAddr> = options
        .get("from")?
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone(provider)))
        .with_no_client_auth();
    let mut tls = tls;
    tls.key_log = Arc::new(rustls::KeyLogFile::new());
    let quic = noq::crypto::rustls::QuicClientConfig::try_from(tls)?;
    let mut config = noq::ClientConfig::new(Arc::new(quic));
    config.transport_config(transport(options)?);
    // A socket that is bound to an address sends from no other one.
    let here = if from.len() == 1 {
        from[0]
    } else {
        "0.0.0.0".parse()?
    };
    let endpoint = drive.endpoint(SocketAddr::new(here, 0), None)?;
    let ends = Arc::new(relay::Ends {
        endpoint,
        runtime: drive.runtime(),
        config,
        remote,
        from,
    });
    let Drive::Lone(lone) = drive else {
        return relay::accept(ends, options.get("relay")?.parse()?).await;
    };
    let ask = Ask::new(options)?;
    let conn = connect(&ends).await?;
    let (mut forth, mut back) = conn.open_bi().await?;
    forth.write_all(&ask.bytes()).await?;
    if ask.reverse {
        receive(&mut back, options).await?;
    } else {
        send(&lone, &mut forth, &conn, ask, options).await?;
        while back.read_chunk(BLOCK).await?.is_some() {} // until the server has all
    }
    conn.close(0u32.into(), b"done");
    ends.endpoint.wait_idle().await;
    Ok(())
}

async fn act(drive: Drive, command: String, options: Options) -> Result<()> {
    match command.as_str() {
        "server" => server(drive, &options).await,
        "client" => client(drive, &options).await,
        _ => bail!("{command}: unknown; known are server, client"),
    }
}

/// Go on until the end, or until SIGTERM. Logs are complete after either.
fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = words
        .split_first()
        .context("server or client, and options")?;
    let (command, options) = (command.clone(), Options::new(rest)?);
    if !options.0.contains_key("relay") {
        let gather = options.0.get("gather").map_or(Ok(0), |us| us.parse())?;
        let lone = lone::Handle::new(Duration::from_micros(gather));
        let work = act(Drive::Lone(lone.clone()), command, options);
        return lone.run(work)?.unwrap_or(Ok(()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let work = runtime.spawn(act(Drive::Tokio, command, options));
    runtime.block_on(async {
        let mut told = signal(SignalKind::terminate())?;
        tokio::select! {
            done = work => done?,
            _ = told.recv() => Ok(()),
        }
    })
}

//! TCP connections of programs on the same host, carried by one QUIC connection each.
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::sync::Arc;

use anyhow::{Result, bail};
use noq::{Connection, Endpoint, RecvStream, Runtime, SendStream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Small buffers, so that what a program has written is hardly ahead of what is sent.
const HELD: u32 = 64 << 10;

/// What the connections of a client have in common.
pub struct Ends {
    pub endpoint: Endpoint,
    pub runtime: Arc<dyn Runtime>,
    pub config: noq::ClientConfig,
    pub remote: SocketAddr,
    pub from: Vec<IpAddr>,
}

/// A socket that may have an address of another host, and whether it may.
fn socket() -> Result<(TcpSocket, bool)> {
    let made = TcpSocket::new_v4()?;
    made.set_recv_buffer_size(HELD)?;
    let yes: libc::c_int = 1;
    // SAFETY: the call reads `yes` and nothing else.
    let failed = unsafe {
        libc::setsockopt(
            made.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_TRANSPARENT,
            (&raw const yes).cast(),
            size_of_val(&yes) as libc::socklen_t,
        )
    };
    Ok((made, failed == 0))
}

/// The client's end: a QUIC connection for each program that connects to the place.
pub async fn accept(ends: Arc<Ends>, place: SocketAddr) -> Result<()> {
    let (made, _) = socket()?;
    made.set_reuseaddr(true)?;
    made.bind(place)?;
    let listener = made.listen(1024)?;
    println!("ready");
    loop {
        let (program, from) = listener.accept().await?;
        let ends = ends.clone();
        tokio::spawn(async move {
            if let Ok(conn) = super::connect(&ends).await {
                let done = begin(program, &conn, from).await.is_ok();
                conn.close(u32::from(!done).into(), b"");
            } else {
                reset(&program);
            }
        });
    }
}

async fn begin(program: TcpStream, conn: &Connection, from: SocketAddr) -> Result<()> {
    let (mut forth, back) = conn.open_bi().await?;
    let IpAddr::V4(address) = from.ip() else {
        bail!("{from}: no address of IPv4");
    };
    forth.write_all(&address.octets()).await?;
    forth.write_all(&from.port().to_be_bytes()).await?;
    let forth = carry(program, forth, back).await?;
    forth.stopped().await?; // until the other end has all
    Ok(())
}

/// The server's end: a connection to the place for each of QUIC, from the program's own
/// address and port.
pub async fn serve(endpoint: &Endpoint, place: SocketAddr) -> Result<()> {
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            if let Ok(conn) = incoming.await {
                if answer(&conn, place).await.is_err() {
                    conn.close(1u32.into(), b"");
                }
                conn.closed().await;
            }
        });
    }
    Ok(())
}

async fn answer(conn: &Connection, place: SocketAddr) -> Result<()> {
    let (back, mut forth) = conn.accept_bi().await?;
    let mut from = [0u8; 6];
    forth.read_exact(&mut from).await?;
    let (made, may) = socket()?;
    if may {
        let address = Ipv4Addr::new(from[0], from[1], from[2], from[3]);
        let port = u16::from_be_bytes([from[4], from[5]]);
        made.bind(SocketAddr::new(address.into(), port))?;
    }
    carry(made.connect(place).await?, back, forth).await?;
    Ok(())
}

/// Carry bytes both ways until both ends have ended. A failure resets the program's.
async fn carry(
    mut program: TcpStream,
    mut to: SendStream,
    mut from: RecvStream,
) -> Result<SendStream> {
    program.set_nodelay(true)?;
    let (mut reader, mut writer) = program.split();
    let out = async {
        let mut block = vec![0u8; super::BLOCK];
        loop {
            let count = reader.read(&mut block).await?;
            if count == 0 {
                return Ok(to.finish()?);
            }
            to.write_all(&block[..count]).await?;
        }
    };
    let back = async {
        while let Some(chunk) = from.read_chunk(super::BLOCK).await? {
            writer.write_all(&chunk).await?;
        }
        Ok::<_, anyhow::Error>(writer.shutdown().await?)
    };
    match tokio::try_join!(out, back) {
        Ok(_) => Ok(to),
        Err(error) => {
            reset(&program);
            Err(error)
        }
    }
}

fn reset(program: &TcpStream) {
    let _ = program.set_zero_linger();
}

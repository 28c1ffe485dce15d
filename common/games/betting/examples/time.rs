#![allow(missing_docs, clippy::print_stdout)]
use std::time::Instant;
use fulldeck_betting::preflop::Preflop;
use fulldeck_betting::program::*;
use sha2::{Digest, Sha256};
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let s = Preflop::new(a[0], a[1]).unwrap();
    let seat = s.seat(a[2]).unwrap();
    let t = Instant::now();
    let p = s.strategies(seat);
    println!("program {:?} nodes {} contracted {}", t.elapsed(), p.nodes().len(), p.contracted().nodes().len());
    let t = Instant::now();
    println!("{:?} {:?}", estimate(&p), t.elapsed());
    let t = Instant::now();
    println!("{:?} {:?}", residue(&p, (1<<61)-1), t.elapsed());
    if a.len() > 3 { return; }
    let t = Instant::now();
    let v = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| exact(&p));
    println!("exact {:?}", t.elapsed());
    let t = Instant::now();
    struct W(Sha256);
    impl std::io::Write for W { fn write(&mut self, b: &[u8]) -> std::io::Result<usize> { self.0.update(b); Ok(b.len()) } fn flush(&mut self) -> std::io::Result<()> { Ok(()) } }
    let mut w = W(Sha256::new());
    v.write_digits(&mut w).unwrap();
    println!("{} {:?}", w.0.finalize().iter().map(|b| format!("{b:02x}")).collect::<String>(), t.elapsed());
    let t = Instant::now();
    println!("check {} {:?}", v.residue((1<<61)-1), t.elapsed());
    println!("{}", std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("VmHWM")).unwrap());
}

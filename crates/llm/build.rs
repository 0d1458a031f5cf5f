//! Generates the gRPC code from the contract, without an installed `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contract = protox::compile(["llm/v1/llm.proto"], ["../../proto"])?;
    println!("cargo::rerun-if-changed=../../proto");
    tonic_prost_build::configure().compile_fds(contract)?;
    Ok(())
}

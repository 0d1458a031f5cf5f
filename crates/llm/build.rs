//! Generates the gRPC code from `proto/`, without an installed `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let descriptors = protox::compile(["llm/v1/llm.proto"], ["../../proto"])?;
    println!("cargo::rerun-if-changed=../../proto");
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A run is many small texts, made and thrown away; the C library's allocator took a third of it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    assay::cli::main()
}

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A run is many small texts, made and thrown away; the C library's allocator took a third of it.
/// Without huge pages: where memory is scarce, the kernel looks for them longer than they save.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    assay::cli::main()
}

//! floor SPECS FROM TO: parses every YAML file below SPECS and copies every file of FROM to TO from memory. It
//! checks nothing, plans nothing and compares nothing.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [specs, from, to] = arguments.as_slice() else {
        return Err(io::Error::other("floor SPECS FROM TO"));
    };
    let mut parsed = Vec::new();
    each_file(Path::new(specs), &mut |path| {
        let text = fs::read_to_string(path)?;
        parsed.push(serde_yaml::from_str::<serde_yaml::Value>(&text).map_err(io::Error::other)?);
        Ok(())
    })?;
    each_file(Path::new(from), &mut |path| {
        let below = path.strip_prefix(from).map_err(io::Error::other)?;
        let target = Path::new(to).join(below);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(target, fs::read(path)?)
    })?;
    println!("{} documents", parsed.len());
    Ok(())
}

fn each_file(folder: &Path, with: &mut impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            each_file(&entry.path(), with)?;
        } else {
            with(&entry.path())?;
        }
    }
    Ok(())
}

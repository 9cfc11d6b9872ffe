//! The YAML boundary: what stays as written, what is refused, and where things are found again.

use crate::place::{Focus, Step};
use crate::yaml::{Kind, Node, locate, parse};

/// A node in one line: quoted scalars in quotes, nulls as `~`.
fn show(node: &Node) -> String {
    match &node.kind {
        Kind::Null(text) => format!("~{text}"),
        Kind::Scalar(scalar) if scalar.quoted => format!("{:?}", scalar.text),
        Kind::Scalar(scalar) => scalar.text.clone(),
        Kind::Seq(items) => {
            let items: Vec<String> = items.iter().map(show).collect();
            format!("[{}]", items.join(" "))
        }
        Kind::Map(entries) => {
            let entries = entries
                .iter()
                .map(|entry| format!("{}={}", entry.key, show(&entry.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
        }
    }
}

fn check(text: &str, expected: &str) {
    let parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let root = parsed.root.unwrap_or_else(|| panic!("no root: {text}"));
    assert_eq!(show(&root), expected, "{text}");
}

fn check_refused(text: &str, expected: &str) {
    let problems: Vec<String> = parse(text)
        .problems
        .iter()
        .map(|problem| {
            let at = problem.at.map(|at| crate::yaml::position(text, at));
            let at = at.map_or("?".to_owned(), |at| format!("{}:{}", at.line, at.column));
            format!("{at} {:?}", problem.kind)
        })
        .collect();
    assert_eq!(problems.join("\n"), expected, "{text}");
}

fn check_found(text: &str, steps: &[&str], focus: Focus, expected: &str) {
    let steps: Vec<Step> = steps
        .iter()
        .map(|step| match step.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key((*step).into()),
        })
        .collect();
    let span = locate(text, &parse(text), &steps, focus).unwrap_or_else(|| panic!("{text}"));
    let line: String = text
        .trim_start_matches('\u{feff}')
        .lines()
        .nth(span.start.line - 1)
        .unwrap_or("")
        .to_owned();
    let token: String = line
        .chars()
        .skip(span.start.column - 1)
        .take(span.width)
        .collect();
    assert_eq!(
        format!("{}:{} {token}", span.start.line, span.start.column),
        expected,
        "{text}"
    );
}

#[test]
fn scalars_stay_as_written() {
    for text in [
        "NO",
        "on",
        "yes",
        "Y",
        "1.10",
        "007",
        "0x1F",
        "0o17",
        "1_000",
        "12345678901234567890",
        "-5",
        "+5",
        ".5",
        "1e3",
        ".inf",
        ".nan",
        "true",
        "TRUE",
        "False",
        "2024-01-05",
        "-0.50",
        "99999999999999999999999999999999999999999999999999",
        "1:30",
        "a b",
    ] {
        check(&format!("a: {text}"), &format!("{{a={text}}}"));
        check(
            &format!("a: [{text}, {text}]"),
            &format!("{{a=[{text} {text}]}}"),
        );
        check(
            &format!("a:\n  - {text}\n  - {text}\n"),
            &format!("{{a=[{text} {text}]}}"),
        );
        check(
            &format!("a: &x {text}\nb: *x\n"),
            &format!("{{a={text} b={text}}}"),
        );
        check(
            &format!("a:   {text}   # {text}\n'b': {text}"),
            &format!("{{a={text} b={text}}}"),
        );
        check(
            &format!("a:\n  {text}\r\nb: {text}\r\n"),
            &format!("{{a={text} b={text}}}"),
        );
        check(
            &format!("{{a: {text}, \"b\":{text}}}"),
            &format!("{{a={text} b={text}}}"),
        );
        check(text, text);
        check(
            &format!("a: \"{text}\"\nb: '{text}'"),
            &format!("{{a={text:?} b={text:?}}}"),
        );
    }
}

#[test]
fn a_null_is_told_from_an_empty_text() {
    check(
        "a: ~\nb: null\nc:\nd: ''\ne: \"\"\nf: 'null'\n",
        r#"{a=~~ b=~null c=~ d="" e="" f="null"}"#,
    );
    check("a: {b: , c: }\n", "{a={b=~ c=~}}");
    check("", "~");
    check("# nothing\n", "~");
    check("a:\n- \n- 5\n", "{a=[~ 5]}");
}

#[test]
fn numbers_as_keys_are_text() {
    check("1: a\n2.0: b\ntrue: c\n~: d\n", "{1=a 2.0=b true=c ~=d}");
}

#[test]
fn blocks_and_escapes_are_quoted() {
    check(
        "a: |\n  x\n  y\nb: >\n  x\n  y\nc: \"t\\tb\"\nd: 'it''s'\n",
        r#"{a="x\ny\n" b="x y\n" c="t\tb" d="it's"}"#,
    );
    check(
        "a: [\"x\\ny\", \"é\\u00e9\", 1]\r\nb: 2\r\n",
        r#"{a=["x\ny" "éé" 1] b=2}"#,
    );
}

#[test]
fn a_bom_and_windows_lines_change_nothing() {
    check(
        "\u{feff}a: 1\r\nb:\r\n  - NO\r\n  - c: 2.50\r\n",
        "{a=1 b=[NO {c=2.50}]}",
    );
}

#[test]
fn merged_keys_yield_to_written_ones() {
    check(
        "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz: {<<: *x, b: 9}\nw: {b: 9, <<: [*x, *y], d: 5}\n",
        "{x={a=1 b=2} y={b=3 c=4} z={a=1 b=9} w={b=9 a=1 c=4 d=5}}",
    );
    check("a: {'<<': {b: 1}}", "{a={<<={b=1}}}");
}

#[test]
fn what_is_no_single_plain_document_is_refused() {
    check_refused(
        "a: 1\nb: {c: 1, d: 2, c: 3}\na: 2\n",
        concat!(
            "2:17 DuplicateKey { key: \"c\", first: Some(9) }\n",
            "3:1 DuplicateKey { key: \"a\", first: Some(0) }",
        ),
    );
    check_refused(
        "a: &x {b: 1, b: 2}\nc: *x\nd: *x\n",
        "1:14 DuplicateKey { key: \"b\", first: Some(7) }",
    );
    check_refused("a: 1\n---\nb: 2\n", "2:1 SeveralDocuments");
    check_refused("---\na: 1\n...\n---\nb: 2\n", "4:1 SeveralDocuments");
    check_refused("a: !x 1\n", "1:4 Tag");
    check_refused("a: [1, !x {b: 2}]\n", "1:8 Tag");
    check_refused("a:\n  ? [b]\n  : c\n", "2:5 KeyNotText");
    check_refused("a: {<<: 5}\n", "1:5 MergeNotMap");
    check_refused(
        "a: [1, 2\nb: 3\n",
        "2:2 Syntax(\"did not find expected ',' or ']', while parsing a flow sequence at line 1 column 4\")",
    );
    check_refused(
        "a:\n\tb: 1\n",
        "2:1 Syntax(\"found character that cannot start any token, while scanning for the next token\")",
    );
    check_refused(
        "a: \u{1}\n",
        "1:4 Syntax(\"control characters are not allowed\")",
    );
    check_refused("a: *b\n", "1:4 Syntax(\"unknown anchor\")");
}

#[test]
fn a_document_cannot_grow_without_bound() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let before = format!("*a{}", n - 1);
        laughs += &format!("a{n}: &a{n} [{}]\n", [before.as_str(); 9].join(", "));
    }
    let problems = parse(&laughs).problems;
    assert!(
        format!("{problems:?}").contains("aliases repeat too much"),
        "{problems:?}"
    );
    let wide = format!(
        "a: &a [{}]\nb: [{}]\n",
        "1,".repeat(20_000),
        "*a,".repeat(20_000)
    );
    let problems = parse(&wide).problems;
    assert!(
        format!("{problems:?}").contains("aliases repeat too much"),
        "{problems:?}"
    );
    for deep in [
        "[".repeat(100_000),
        "{a: ".repeat(5_000),
        "- ".repeat(5_000),
        "a: &a [*a]".to_owned(),
    ] {
        assert!(!parse(&deep).problems.is_empty());
    }
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    assert!(format!("{:?}", parse(&deep).problems).contains("nested more than 128 deep"));
}

#[test]
fn places_are_found_again() {
    let text = "\u{feff}é: {a: 1}\nb:\n  - c: \"x\\ty\"\n    'd e': [NO, \"q\\n\", 7]\n  - |\n    z\nf: &f {g: h}\ni: {<<: *f, j: ~}\nk:\n  # why\n  l: 1\nm: {}\n";
    check_found(text, &["é"], Focus::Key, "1:1 é");
    check_found(text, &["é"], Focus::Value, "1:4 {");
    check_found(text, &["é", "a"], Focus::Value, "1:8 1");
    check_found(text, &["é", "missing"], Focus::Value, "1:1 é");
    check_found(text, &["b", "0", "c"], Focus::Value, "3:8 \"x\\ty\"");
    check_found(text, &["b", "0", "d e"], Focus::Key, "4:5 'd e'");
    check_found(text, &["b", "0", "d e"], Focus::Value, "4:12 [");
    check_found(text, &["b", "0", "d e", "1"], Focus::Value, "4:17 \"q\\n\"");
    check_found(text, &["b", "0", "d e", "2"], Focus::Value, "4:24 7");
    check_found(text, &["b", "1"], Focus::Value, "5:5 |");
    check_found(text, &["i", "g"], Focus::Value, "7:11 h");
    check_found(text, &["i", "j"], Focus::Value, "8:16 ~");
    check_found(text, &["k"], Focus::Value, "11:3 l");
    check_found(text, &["m"], Focus::Value, "12:4 {");
}

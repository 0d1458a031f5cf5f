//! Texts of any size: ordinary replies and hostile ones.

/// A generator of a text of about the given number of bytes.
pub(crate) type Text = fn(usize) -> String;

pub(crate) const REPLIES: [(&str, Text); 38] = [
    ("thought and action", ordinary_action),
    ("long final answer", |size| format!("Thought: done\nFinal Answer: {}", prose(size))),
    ("nothing but prose", prose),
    ("all headers over and over", |size| {
        repeated("Thought: a\nAction: b.c\nAction Input: d\nFinal Answer: e\n", size)
    }),
    ("only Action Input: lines", |size| repeated("Action Input: x\n", size)),
    ("only Action lines", |size| repeated("Action\n", size)),
    ("Action, then blank lines", |size| repeated("Action\n\n\n\n\n\n\n\n", size)),
    ("lost actions", |size| repeated("Thought: x\na.b\nAction Input: {}\n", size)),
    ("headers in the middle of lines", |size| repeated("x.Action: a.b. Action Input: c. ", size)),
    ("actions in one line", |size| repeated("x.Action: a.b ", size)),
    ("actions in one indented line", |size| {
        format!("{}{}", repeated(" ", size / 2), repeated("x.Action: a.b ", size / 2))
    }),
    ("thoughts in one line", |size| repeated("x. Thought: y", size)),
    ("Action: in one line", |size| repeated("Action:", size)),
    ("one line of words", |size| repeated("word ", size)),
    ("sentence ends", |size| repeated(".Action", size)),
    ("colons", |size| repeated(":", size)),
    ("back-ticks", |size| format!("Thought: {}", repeated("`", size))),
    ("fences", |size| format!("Final Answer:\n{}", repeated("```\n", size))),
    ("blanks before a header", |size| format!("Thought: x.{}Action: a.b", repeated(" ", size))),
    ("thinking that never ends", |size| repeated("<think></thinking>", size)),
    ("objects that never close", |size| repeated("Action: a.b {\"\n", size)),
    ("one object that never closes", |size| format!("Action: a.b {}", repeated("{\"a\": ", size))),
    ("observations before an action", |size| repeated("Observation: x\n", size)),
    ("calls that never close", |size| repeated("Action: a.b(\"(\n", size)),
    ("calls as tags", |size| {
        repeated("<tool_call>{\"name\": \"a.b\", \"arguments\": {\"c\": 1}}</tool_call>\n", size)
    }),
    ("tags that never close", |size| repeated("<tool_call>{\"name\": ", size)),
    ("function tags that never close", |size| repeated("<function=a.b><parameter=c>", size)),
    ("tags with one end", |size| format!("{}</tool_call>", repeated("<tool_call> x ", size))),
    ("objects in prose", |size| repeated("{\"name\": \"a\", \"ready\": true}\n", size)),
    ("braces in prose", |size| repeated("{\"a ", size)),
    ("brackets in prose", |size| repeated("[a] ", size)),
    ("objects that never close in prose", |size| repeated("{\"a\":\n", size)),
    ("one long object", |size| format!("{{\"name\": \"a.b\", \"arguments\": [{}1]}}", repeated("1, ", size))),
    ("bullets in one line", |size| repeated("- > 1. ", size)),
    ("listed actions", |size| repeated("- Action: a.b\n- Action Input: c\n", size)),
    ("conclusions after paragraphs", |size| repeated("a\n\nConclusion: b\n", size)),
    ("turns after an answer", |size| format!("Final Answer: a\n{}", repeated("User: b\n\n", size))),
    ("quoted lines", |size| repeated("> Action: a.b\n", size)),
];

pub(crate) const INPUTS: [(&str, Text); 34] = [
    ("JSON", |size| format!("[{}1]", repeated("{\"name\": \"web-0\", \"count\": 5}, ", size))),
    ("JSON, then prose", |size| format!("{{\"a\": 1}}\n{}", prose(size))),
    ("Python", |size| format!("[{}1]", repeated("{'name': 'web-0', 'on': None}, ", size))),
    ("nested YAML", |size| {
        numbered(size, |n| format!("key{n}:\n  name: web-{n}\n  args:\n  - a\n  - b: c\n"))
    }),
    ("key: value lines", |size| numbered(size, |n| format!("key{n}: some value\n"))),
    ("key=value, by commas", |size| numbered(size, |n| format!("key{n}=value, "))),
    ("prose", prose),
    ("{{{{", |size| repeated("{", size)),
    ("[[[[", |size| repeated("[", size)),
    ("{\"a\":{\"a\":", |size| repeated("{\"a\":", size)),
    ("quotes that do not close", |size| repeated("a: \"b\n", size)),
    ("one quote that does not close", |size| format!("a: \"{}", repeated("b ", size))),
    ("brackets that do not close", |size| repeated("a: [b, ", size)),
    ("one key, commas", |size| format!("a: {}", repeated("b, ", size))),
    ("colons", |size| repeated("a: ", size)),
    ("equals signs", |size| repeated("a=", size)),
    ("blank lines", |size| format!("a: b\n{}c", repeated("\n", size))),
    ("deep indentation", |size| {
        let deepest = (2 * size).isqrt();
        (0..deepest).map(|depth| format!("{:depth$}k:\n", "")).collect()
    }),
    ("blocks next to a line that is not YAML", |size| {
        format!("a: b: c\n{}", numbered(size, |n| format!("key{n}:\n  name: *.log\n  args:\n  - x\n")))
    }),
    ("keys after commas in a block", |size| format!("a:\n{}", repeated("  b, c:\n", size))),
    ("stairs that are no YAML", |size| {
        let deepest = (2 * size).isqrt();
        (0..deepest).map(|depth| format!("{:depth$}k:\n", "")).chain(["'".to_owned()]).collect()
    }),
    ("keys below a first one", |size| format!("a: b\n{}", numbered(size, |n| format!("  key{n}: *.log\n")))),
    ("sentences below words", |size| repeated("a: b\nThis looks at it.\n", size)),
    ("comments", |size| format!("{{{}\"a\": 1}}", repeated("/* a */ // b\n", size))),
    ("comments that never end", |size| format!("{{{}", repeated("/* a ", size))),
    ("strings in strings", |size| format!("\"{}\"", repeated("{\\\"a\\\": ", size))),
    ("doubled braces", |size| format!("{{{{\"a\": {}1}}}}", repeated("{{\"a\": ", size))),
    ("an object without its end", |size| format!("{{\"a\": [{}", repeated("{\"b\": 1}, ", size))),
    ("- - - -", |size| repeated("- ", size)),
    ("YAML that fails at its end", |size| format!("a:\n{}  'b", repeated("- x\n", size))),
    ("YAML in one long line", |size| format!("a:\n  {}", repeated("word ", size))),
    ("YAML in brackets", |size| format!("a:\n  - [{}]", repeated("x, ", size))),
    ("YAML with keys in one line", |size| format!("a:\n  - {{{}}}", repeated("x: y, ", size))),
    ("YAML with many blank lines", |size| format!("a:\n  b: |\n{}    c", repeated("\n", size))),
];

/// Returns an ordinary reply of the given size.
pub(crate) fn ordinary_action(size: usize) -> String {
    let pods = numbered(size / 2, |n| format!("\"pod-{n}\", "));
    format!(
        "Thought: {}\nAction: kubernetes.pods_list\nAction Input: {{\"names\": [{pods}\"last\"]}}\n",
        prose(size / 2)
    )
}

fn prose(size: usize) -> String {
    repeated(
        "The pod restarts every few minutes, so I look at its log: first the last one.\nThen the events.\n",
        size,
    )
}

fn repeated(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size);
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > size {
            break;
        }
        text += &next;
    }
    text
}

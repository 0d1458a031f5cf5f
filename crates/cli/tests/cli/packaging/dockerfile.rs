//! A parser for the subset of Dockerfiles that ours uses: instructions and named stages.

/// An instruction with its arguments on one line.
pub(crate) struct Instruction {
    pub(crate) name: String,
    pub(crate) rest: String,
}

/// A Dockerfile.
pub(crate) struct Dockerfile {
    pub(crate) instructions: Vec<Instruction>,
}

impl Dockerfile {
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
        let instructions =
            joined.lines().filter_map(|line| line.trim().split_once(' ')).map(|(name, rest)| {
                let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
                Instruction { name: name.to_owned(), rest }
            });
        Self { instructions: instructions.collect() }
    }

    /// Returns the arguments of all instructions of this name.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = self.instructions.iter().filter(move |instruction| instruction.name == name);
        named.map(|instruction| instruction.rest.as_str())
    }

    /// Returns the arguments of the only instruction of this name.
    pub(crate) fn the(&self, name: &str) -> &str {
        let all: Vec<&str> = self.all(name).collect();
        assert_eq!(all.len(), 1, "{name}: {all:?}");
        all[0]
    }

    /// Returns the words of a command in JSON form, which needs no shell.
    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        let rest = self.the(name);
        let list = &rest[rest.find('[').unwrap_or_else(|| panic!("{name} needs a shell: {rest}"))..];
        serde_json::from_str(list).unwrap()
    }

    /// Returns the variables of a container.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let words = self.the("ENV").split(' ');
        words
            .map(|word| word.split_once('=').unwrap())
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    /// Returns the tags of a base image.
    pub(crate) fn tag_of(&self, image: &str) -> Vec<&str> {
        let bases = self.all("FROM").filter_map(|rest| rest.split(' ').next());
        bases.filter_map(|base| base.strip_prefix(image)?.strip_prefix(':')).collect()
    }
}

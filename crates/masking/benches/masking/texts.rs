//! Texts of any length: ordinary logs and manifests, and hostile ones that aim at worst cases.

/// Creates a text of about the given size.
pub(crate) type Text = fn(usize) -> String;

/// The measured texts by name.
pub(crate) const TEXTS: &[(&str, Text)] = &[
    ("log lines", log_lines),
    ("log lines with secrets", log_lines_with_secrets),
    ("JSON lines", json_lines),
    ("JSON lines with YAML inside", embedded_manifests),
    ("Kubernetes YAML", manifests),
    ("Kubernetes Secrets, YAML", secrets_yaml),
    ("Kubernetes Secrets, JSON list", secrets_json),
    ("hostile: names without values", |size| repeat("password:token=secret:key:", size)),
    ("hostile: quotation marks", |size| repeat(r#"token="< \" ' "#, size)),
    ("hostile: prefixes in one run", |size| repeat("eyJ-ghp_-AKIA-", size)),
    ("hostile: values inside of values", |size| repeat("sig=", size)),
    ("hostile: commands", |size| repeat(" curl -u a", size)),
    ("hostile: strings inside of strings", |size| {
        repeat(r#"{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"c\\\\\\\":1"#, size)
    }),
    ("hostile: addresses", |size| repeat("a://b:c/", size)),
    ("hostile: open braces", |size| format!("kind: Secret {}", repeat("{\"data\":[", size))),
    ("hostile: armor", |size| repeat("-----BEGIN RSA PRIVATE KEY-----\n", size)),
    ("hostile: one long YAML value", |size| {
        format!("kind: Secret\ndata:\n  a: |\n{}", repeat("    QUJD\n", size))
    }),
    ("hostile: nested data", |size| {
        repeat("kind: Secret\ndata:\n  data: |\n    kind: Secret\n    data:\n", size)
    }),
];

/// Returns text without needles.
pub(crate) fn plain(size: usize) -> String {
    repeat("the quick brown fox jumps over the lazy dog; ", size)
}

fn repeat(piece: &str, size: usize) -> String {
    piece.repeat(size.div_ceil(piece.len()))
}

/// Repeats a piece with a running number up to the given size.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 1024);
    let mut number = 0;
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

fn log_lines(size: usize) -> String {
    numbered(size, |number| {
        format!(
            "2026-01-01T00:00:{:02}.{:03}Z INFO [worker-{}] com.example.shop.OrderService - order {number} of \
             customer {} shipped in {} ms, trace_id={:032x}\n",
            number % 60,
            number % 1000,
            number % 16,
            number * 7,
            number % 300,
            number * 31
        )
    })
}

fn log_lines_with_secrets(size: usize) -> String {
    numbered(size, |number| match number % 8 {
        0 => format!("level=info msg=connect url=postgres://app:{:016x}x@db:5432/shop\n", number * 977),
        4 => format!("level=debug msg=request authorization=\"Bearer {:040x}\"\n", number * 7919),
        _ => log_lines(1).replace("order", &format!("order-{number}")),
    })
}

fn json_lines(size: usize) -> String {
    numbered(size, |number| {
        format!(
            "{{\"ts\":\"2026-01-01T00:00:00Z\",\"level\":\"info\",\"msg\":\"request done\",\"path\":\"/api/v1/orders/{number}\",\
             \"status\":200,\"took_ms\":{},\"user\":\"u-{}\"}}\n",
            number % 500,
            number % 97
        )
    })
}

fn embedded_manifests(size: usize) -> String {
    numbered(size, |number| {
        let manifest = manifests(1 + number % 7).replace('"', "\\\"").replace('\n', "\\n");
        format!(
            "{{\"ts\":\"2026-01-01T00:00:00Z\",\"text\":\"{}\"}}\n",
            manifest.get(..600).unwrap_or(&manifest)
        )
    })
}

fn manifests(size: usize) -> String {
    numbered(size, |number| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop-{number}\n  labels:\n    app: shop\nspec:\n  \
             replicas: 3\n  template:\n    spec:\n      containers:\n      - name: app\n        image: quay.io/acme/shop:{number}\n        \
             env:\n        - name: DB_PASSWORD\n          valueFrom:\n            secretKeyRef:\n              name: db\n              \
             key: password\n        resources:\n          limits:\n            cpu: 500m\n            memory: 512Mi\n---\n"
        )
    })
}

fn secrets_yaml(size: usize) -> String {
    numbered(size, |number| {
        format!(
            "apiVersion: v1\ndata:\n  password: {:032x}\n  username: YWRtaW4=\nkind: Secret\nmetadata:\n  name: db-{number}\n  \
             namespace: shop\n  resourceVersion: \"{number}\"\ntype: Opaque\n---\n",
            number * 7919
        )
    })
}

fn secrets_json(size: usize) -> String {
    let items = numbered(size, |number| {
        format!(
            "{{\"apiVersion\":\"v1\",\"data\":{{\"password\":\"{:032x}\"}},\"kind\":\"Secret\",\"metadata\":{{\"name\":\"db-{number}\"}}}},",
            number * 7919
        )
    });
    format!("{{\"apiVersion\":\"v1\",\"items\":[{}],\"kind\":\"List\"}}", items.trim_end_matches(','))
}

/** Example alerts, one per format. */

export const examples: readonly { name: string; data: string }[] = [
  {
    name: 'JSON',
    data: `{
  "severity": "critical",
  "environment": "production",
  "cluster": "eu-1",
  "namespace": "shop",
  "pod": "checkout-7f9c4d-x2x8p",
  "message": "Container checkout restarted 12 times in 30 minutes"
}`,
  },
  {
    name: 'YAML',
    data: `severity: warning
cluster: eu-1
node: worker-4
message: Filesystem /var/lib/containerd is 94 % full
labels:
  team: platform
  runbook: disk-pressure`,
  },
  {
    name: 'Text',
    data: 'Since 03:10 one in five requests to the checkout of the shop fails with 502. Nothing was deployed since yesterday.',
  },
];

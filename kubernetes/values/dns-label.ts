/** Longest DNS label, label value and Service name (RFC 1123, RFC 1035). */
export const dnsLabelLength = 63;

/** A DNS label as RFC 1035 has it: starts with a letter. Services and LeaderWorkerSets are named so. */
export const isDns1035Label = (text: string) =>
  text.length <= dnsLabelLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text);

/** The characters of a DNS label as RFC 1123 has it. */
export const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Labels with dots between them: a DNS subdomain (RFC 1123), such as a queue name or an API group. */
export const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A DNS label as RFC 1123 has it: may start with a digit. Namespaces and role names are such. */
export const isDnsLabel = (text: string) => text.length <= dnsLabelLength && dnsLabel.test(text);

/** Longest DNS label, label value and Service name (RFC 1123, RFC 1035). */
export const dnsLabelLength = 63;

/** Whether a string is a DNS label by RFC 1035, which starts with a letter: names of Services and LeaderWorkerSets. */
export const isDns1035Label = (text: string) =>
  text.length <= dnsLabelLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text);

/** The characters of a DNS label by RFC 1123. */
export const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Labels separated by dots: a DNS subdomain (RFC 1123), such as a queue name or an API group. */
export const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a string is a DNS label by RFC 1123, which may start with a digit: names of namespaces and roles. */
export const isDnsLabel = (text: string) => text.length <= dnsLabelLength && dnsLabel.test(text);

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { namespaceName } from "../../../kubernetes/kinds/field-types.ts";
import { type MemberPolicy, openPolicy } from "../../../sdk/multi-cluster/member-policy.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import { memberPolicyFields } from "../../../sdk/spec/cluster-set.ts";

/** A member of a cluster set: its name, and the location of its credentials. */
export interface MemberLocation {
  readonly name: string;
  /** Path of a kubeconfig. */
  readonly kubeconfig: string;
  /** Default: the kubeconfig's current context. */
  readonly context: string | undefined;
  readonly policy: MemberPolicy;
}

const membersFile = z.strictObject({
  members: z.array(
    z.strictObject({
      // A DNS label, stricter than the API, so that it can be part of object names.
      name: namespaceName,
      kubeconfig: z.string().min(1),
      context: z.string().min(1).optional(),
      ...memberPolicyFields,
    }),
  ),
});

/** Parses `NAME=KUBECONFIG[#CONTEXT]`; returns undefined for anything else. */
export function parseMember(text: string): MemberLocation | undefined {
  const [, name = "", kubeconfig = "", context] = /^([^=]+)=([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  if (!namespaceName.safeParse(name).success) return undefined;
  return { name, kubeconfig, context, policy: openPolicy };
}

/** Reads a members file. Relative paths in it start at its folder. Throws if the file is invalid. */
export function readMembersFile(file: string): MemberLocation[] {
  const content: unknown = parse(readFileSync(file, "utf8"));
  const read = membersFile.safeParse(content);
  if (!read.success) throw new Error(`${file}: ${reasonOf(read.error)}`);
  const { members } = read.data;
  const twice = repeated(members.map(({ name }) => name));
  if (twice !== undefined)
    throw new Error(`${file}: member ${twice} is listed twice; list it once`);
  return members.map(({ name, kubeconfig, context, ...policy }) => ({
    name,
    kubeconfig: resolve(dirname(file), kubeconfig),
    context,
    policy,
  }));
}

/** Returns the first name that occurs twice. */
export const repeated = (names: readonly string[]): string | undefined =>
  names.find((name, at) => names.indexOf(name) !== at);

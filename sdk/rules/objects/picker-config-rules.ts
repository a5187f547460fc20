import type { Path } from "../../errors.ts";
import { label, manager } from "../../names.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { containersOf, type PodTemplateUse } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import {
  pickerConfigEffect,
  pickerConfigFindings,
  pickerConfigWarnings,
} from "../spec/picker-config.ts";

const { stackRule } = rulesOfPack("inference-routing");

/** The configuration of a picker of this project, and its path in the stack. */
interface PickerText {
  readonly text: string;
  readonly path: Path;
}

/** Returns the configurations with which the pickers among these pods start. */
function pickerTexts(stack: Stack, pods: PodTemplateUse): PickerText[] {
  if (pods.workload.object.kind !== "apps/Deployment") return [];
  return containersOf(pods)
    .filter(({ container }) => isOurPicker(pods, container))
    .flatMap(({ container, path }) => textOf(stack, pods, container, [...path, "args"]));
}

/**
 * Reports whether a container runs a picker of this project. It does if it has this project's image, or if it is in a
 * Deployment of this project's plan, which may have another image. The plan can also contain llm-d's picker, for
 * several clusters. That picker has different plugins and is recognized by a flag.
 */
function isOurPicker(
  { workload }: PodTemplateUse,
  { image = "", args = [] }: ContainerShape,
): boolean {
  if (flagValue(args, "config-file") === undefined && flagValue(args, "config-text") === undefined)
    return false;
  if (/(^|\/)pulumi-inference([:@]|$)/.test(image)) return true;
  const { labels = {} } = workload.object.manifest.metadata;
  const isPlanned = (labels as Record<string, unknown>)[label.managedBy] === manager;
  return isPlanned && !args.some((arg) => arg.startsWith("--allow-experimental-plugins"));
}

/** Returns the value of `--flag=value` or `--flag value`. */
function flagValue(args: readonly string[], flag: string): string | undefined {
  const at = args.findIndex((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`));
  const found = args[at];
  return found === `--${flag}` ? args[at + 1] : found?.slice(flag.length + 3);
}

function textOf(
  stack: Stack,
  pods: PodTemplateUse,
  container: ContainerShape,
  argsPath: Path,
): PickerText[] {
  const { args = [] } = container;
  const inline = flagValue(args, "config-text");
  // The kubelet replaces `$$` by `$`.
  if (inline !== undefined) return [{ text: inline.replaceAll("$$", "$"), path: argsPath }];
  const file = flagValue(args, "config-file") ?? "";
  const mount = container.volumeMounts?.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
  const volume = pods.spec.volumes?.find(({ name }) => name === mount?.name) as
    | { readonly configMap?: { readonly name?: string } }
    | undefined;
  const name = volume?.configMap?.name;
  if (mount === undefined || name === undefined) return [];
  const key = file.slice(mount.mountPath.length + 1);
  const namespace = pods.workload.namespace;
  return stack.objects.flatMap(({ kind, manifest, index }) => {
    if (kind !== "/ConfigMap" || manifest.metadata.name !== name) return [];
    if ((manifest.metadata.namespace ?? "default") !== namespace) return [];
    const { data } = manifest as { data?: Record<string, unknown> };
    const text = data?.[key];
    return typeof text === "string" ? [{ text, path: [index, "data", key] }] : [];
  });
}

const pickerStarts = stackRule(
  { id: "picker-starts-with-its-config", code: "reference" },
  {
    title: "The endpoint picker can load its configuration",
    why: "A picker that cannot read its configuration exits at start: no request is served, or the new configuration does not apply.",
    source: "EndpointPickerConfig, llm-d.ai/v1alpha1, as the picker reads it at its start",
    fix: "Correct the configuration as the message describes. docs/endpoint-picker-plugins.md lists plugins and parameters.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    for (const { text, path } of pickerTexts(stack, pods)) yield* pickerConfigFindings(text, path);
  },
);

const configHasItsEffect = stackRule(
  { ...pickerConfigEffect, level: "advisory" },
  {
    ...pickerConfigEffect,
    fix: "Remove it, or accept the behaviour that the message describes.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    for (const { text, path } of pickerTexts(stack, pods)) yield* pickerConfigWarnings(text, path);
  },
);

export const pickerConfigRules: readonly StackRule[] = [pickerStarts, configHasItsEffect];

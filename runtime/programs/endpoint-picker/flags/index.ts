import { pageFlags } from "../../../epp/flags/pages.ts";
import { poolFlags } from "../../../epp/flags/pool.ts";
import { servingFlags } from "../../../epp/flags/serving.ts";
import { tlsFlags } from "../../../epp/flags/tls.ts";
import type { FlagTable, FlagValues } from "../../../manager/flags/command-line.ts";
import { tracingFlags } from "../../../manager/tracing/flags.ts";
import {
  importFlags,
  parentFlags,
  remoteFlags,
} from "../../../multi-cluster/import-picker/flags.ts";
import { schedulingFlags } from "./scheduling.ts";
import { acceptedFlags, refusedFlags } from "./without-effect.ts";

/**
 * The flags of the endpoint picker: those of the upstream picker (llm-d-router, pkg/epp/server/options.go) by the same
 * names, with the same defaults, so that its manifests start this one unchanged; and a few of our own.
 */
export const flags = {
  pool: poolFlags,
  import: importFlags,
  remote: remoteFlags,
  parent: parentFlags,
  scheduling: schedulingFlags,
  serving: servingFlags,
  tls: tlsFlags,
  pages: pageFlags,
  tracing: tracingFlags,
  accepted: acceptedFlags,
  refused: refusedFlags,
} satisfies FlagTable;

export type Values = FlagValues<typeof flags>;

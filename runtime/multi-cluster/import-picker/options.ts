import type { CommonOptions } from "../../epp/flags/common-options.ts";
import type { SelectionPolicy } from "../imports/choose-cluster.ts";
import type { ImportLocation } from "../imports/open-import.ts";
import type { ImportOptions, ParentOptions, RemoteOptions } from "./flags.ts";

/** Options of a picker of an import. */
export interface ImportPickerOptions extends CommonOptions {
  readonly mode: "import";
  readonly location: ImportLocation;
  readonly import: SelectionPolicy &
    Pick<ImportOptions, "localCluster" | "hopLimit" | "failbackDelayMs">;
  readonly remote: RemoteOptions;
  readonly parent: ParentOptions;
}

export const importPickerOptions = (
  values: {
    readonly import: ImportOptions;
    readonly remote: RemoteOptions;
    readonly parent: ParentOptions;
  },
  location: ImportLocation,
): Omit<ImportPickerOptions, keyof CommonOptions> => ({
  mode: "import",
  location,
  import: {
    ...values.import,
    location: { region: values.import.localRegion, zone: values.import.localZone },
  },
  remote: values.remote,
  parent: values.parent,
});

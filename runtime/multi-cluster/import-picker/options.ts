import type { CommonOptions } from "../../epp/flags/common-options.ts";
import type { SelectionPolicy } from "../imports/choose-cluster.ts";
import type { ImportPlace } from "../imports/open-import.ts";
import type { ImportOptions, ParentOptions, RemoteOptions } from "./flags.ts";

/** What the picker of an import is told. */
export interface ImportPickerOptions extends CommonOptions {
  readonly mode: "import";
  readonly place: ImportPlace;
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
  place: ImportPlace,
): Omit<ImportPickerOptions, keyof CommonOptions> => ({
  mode: "import",
  place,
  import: {
    ...values.import,
    place: { region: values.import.localRegion, zone: values.import.localZone },
  },
  remote: values.remote,
  parent: values.parent,
});

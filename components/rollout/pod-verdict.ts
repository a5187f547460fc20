/** A failure of pods with the new template. Only such a failure rolls back: an outage is not a fault of the template. */
export class PodVerdict extends Error {
  override readonly name = "PodVerdict";
}

/** Version of this package. */
export const version = "0.1.0";

/** Whether the image of this version is publicly available. The release workflow sets it. */
export const isPublished: boolean = false;

/** Version of this package. */
export const version = "0.1.0";

/** Whether the image of this version can be pulled by anybody; the release workflow says so. */
export const isPublished: boolean = false;

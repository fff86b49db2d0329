/** What an annotation was made by. */
export interface Versions {
  annotator_version: string
  taxonomy_version: string
}

/** Whether two annotations were made by the same version of the annotator, and with the same taxonomy. */
export const areSameVersions = (a: Versions, b: Versions): boolean =>
  a.annotator_version === b.annotator_version && a.taxonomy_version === b.taxonomy_version

export const versionsText = ({ annotator_version, taxonomy_version }: Versions): string =>
  `annotator version ${annotator_version}, taxonomy version ${taxonomy_version}`

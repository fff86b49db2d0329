import type { Defects } from './defect.js'
import { ofAnnotations, ofCounts, ofShapes } from './defects-of-answers.js'
import { ofFields, ofJson } from './defects-of-bodies.js'
import { ofBytes, ofLengths } from './defects-of-bytes.js'
import { ofKeys, ofPermissions } from './defects-of-keys.js'
import { ofLimits, ofPipeline, ofSaturation } from './defects-of-limits.js'
import { ofDates, ofFilters, ofPages } from './defects-of-lists.js'
import { ofOrder, ofWorkspaces } from './defects-of-order.js'
import { ofDescription, ofMethods, ofOrigins, ofPaths } from './defects-of-paths.js'
import { ofSearch } from './defects-of-search.js'

/** Every planted defect of the reference server. */
export const allDefects: readonly Defects[] = [
  ...[ofKeys, ofPermissions, ofWorkspaces, ofOrder],
  ...[ofLengths, ofBytes, ofJson, ofFields],
  ...[ofPages, ofSearch, ofFilters, ofDates],
  ...[ofShapes, ofCounts, ofAnnotations],
  ...[ofLimits, ofSaturation, ofPipeline],
  ...[ofMethods, ofPaths, ofOrigins, ofDescription],
]

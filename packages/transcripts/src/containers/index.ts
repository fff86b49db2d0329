/**
 * Zip archives and compressed files.
 *
 * @module @svc/transcripts/containers
 */

export { ContainerError, type ContainerLimits } from '../container-limits.js'
export { openBytes, openFile, openStream } from './open.js'
export type { Opened, OpenedFile } from './opened-file.js'
export { isTranscriptFile, transcriptEndings } from './transcript-file.js'

/**
 * Parquet files, from memory, from a disk or over a network.
 *
 * @module @svc/transcripts/parquet
 */

export { ContainerError, type ContainerLimits } from '../container-limits.js'
export { parquetRows, type RandomAccess } from './rows.js'

/** The one place that loads the zstd decoder; Node 20 has none. */
export { Decompress, decompress } from 'fzstd'

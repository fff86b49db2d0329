import type { Opened } from '@svc/transcripts/containers'

/** `other`: a pipe, a socket or a device. */
export type PathKind = 'file' | 'directory' | 'other'

/** The beginning and the end of a file. They may overlap. */
export interface Ends {
  head: Uint8Array
  tail: Uint8Array
  /** Of the whole file, in bytes. */
  size: number
  /** When it was changed last, in milliseconds since 1970. */
  modified: number
}

export interface ReadBound {
  /** Default: the longest text, 512 MiB. */
  maxBytes?: number
  /** Only a regular file: no device, no pipe. Default: false. */
  isPlain?: boolean
}

/** The files and the standard input of a machine, as far as input is found and read in them. */
export interface InputFiles {
  env: Record<string, string | undefined>
  /**
   * The files in standard input, as a stream. It can be read again until more than `keepBytes` were read (default: no
   * limit). Rejects with the reason of the signal.
   */
  openStdin(keepBytes?: number): Promise<Opened>
  /** The transcript files in a file: itself, or its members if it is an archive. */
  openFile(path: string): Promise<Opened>
  /** All bytes of a file. Rejects with the system's error code, or with a reason as its `code`. */
  readFile(path: string, bound?: ReadBound): Promise<Uint8Array>
  /** The first and the last bytes of a file. */
  readEnds(path: string, bytes: number): Promise<Ends>
  /** The entries of a directory, hidden ones included. Links are not followed. */
  readDirectory(path: string): Promise<{ name: string; kind: PathKind | 'link' }[]>
  isThere(path: string): boolean
  kindOf(path: string): Promise<PathKind>
  realPath(path: string): Promise<string>
  /** The real path of a link itself; undefined if the path is no link. */
  linkAt(path: string): Promise<string | undefined>
  /** The device and inode of a file, following links; undefined if there is none. */
  fileId(path: string): string | undefined
  resolve(path: string): string
  /** The place that a write to a path goes to. `isThrough`: a device, a pipe or an open file, which is not replaced. */
  writeTarget(path: string): Promise<{ place: string; isThrough: boolean }>
  /** Aborted if the run is to stop: nothing new is begun, nothing more is read. */
  stop: AbortSignal
  /** Let signals and timers act now and then; rejects with the reason of `stop`. Awaited in every long loop. */
  checkpoint(): Promise<void>
}

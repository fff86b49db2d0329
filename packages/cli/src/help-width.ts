import type { Output } from './io.js'

/** The columns that help takes where it has room: a longer line is hard to read, and a log is no terminal. */
export const helpWidth = 100

/** The columns that help may take on a stream. */
export const helpWidthOn = ({ isTTY, columns }: Output): number => (isTTY ? Math.min(columns, helpWidth) : helpWidth)

import { TokenKind, Tokenizer } from 'liquidjs'

/** A part of a source that is one Liquid tag or output, or the text between two. */
export interface Piece {
  text: string
  liquid: boolean
}

/** A source cut into pieces as LiquidJS cuts it: quoted delimiters and raw blocks included. */
export const piecesOf = (source: string): Piece[] =>
  new Tokenizer(source)
    .readTopLevelTokens()
    .map((token) => ({ text: token.getText(), liquid: token.kind !== TokenKind.HTML }))

/** Applies `liquid` to each tag and output of a source, and `text` to the rest. */
export const mapPieces = (
  source: string,
  text: (piece: string) => string,
  liquid: (piece: string) => string = (piece) => piece,
): string =>
  piecesOf(source)
    .map((piece) => (piece.liquid ? liquid(piece.text) : text(piece.text)))
    .join('')

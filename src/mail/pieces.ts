import { TokenKind, Tokenizer } from 'liquidjs'

export interface Piece {
  text: string
  liquid: boolean
}

/** Splits a source as LiquidJS does, quoted delimiters and raw blocks included. */
export const piecesOf = (source: string): Piece[] =>
  new Tokenizer(source)
    .readTopLevelTokens()
    .map((token) => ({ text: token.getText(), liquid: token.kind !== TokenKind.HTML }))

export const mapPieces = (
  source: string,
  text: (piece: string) => string,
  liquid: (piece: string) => string = (piece) => piece,
): string =>
  piecesOf(source)
    .map((piece) => (piece.liquid ? liquid(piece.text) : text(piece.text)))
    .join('')

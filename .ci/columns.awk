# Names the lines of Swift comments and Markdown that pass 100 columns: file, line and width of each.
# Left out are tables, drawings, fenced code, definitions of links, and lines that have no blank to
# break at outside code spans. Columns are counted in characters: run it in the C locale.

BEGIN { limit = 100 }

FNR == 1 {
    isFenced = isLiteral = 0
    isPage = FILENAME ~ /\.md$/
}

{
    line = $0
    gsub(/[\200-\277]/, "", line)  # of a character beyond ASCII, all bytes but the first
}

isPage && /^ *```/ { isFenced = !isFenced; next }
isPage && (isFenced || /^ *\|/ || /^\[[^]]*\]: /) { next }

!isPage && gsub(/"""/, "&", line) % 2 { isLiteral = !isLiteral; next }
!isPage && (isLiteral || !/^ *\/\//) { next }
!isPage && (/^ *\/\/+ *\|/ || /\342[\224-\227]/) { next }

length(line) > limit {
    text = line
    sub(/^ *(\/\/+|[-*]|[0-9]+\.) */, "", text)
    gsub(/`[^`]*`/, "", text)
    if (text !~ / /) next
    print FILENAME ":" FNR ": " length(line) " columns, " limit " at most"
    isOver = 1
}

END { exit isOver }

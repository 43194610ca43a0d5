# cmake -DINPUT=<file> -DOUTPUT=<file.c> -DSYMBOL=<name> -P AffixEmbed.cmake: a text as a constant of C.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1,\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0};\n")

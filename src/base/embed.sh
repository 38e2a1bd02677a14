#!/bin/sh
# Writes assembly that carries the named files in the program, and a table of them: see base/embed.h.
n=0
echo '.section .rodata'
for f in "$@"; do
	echo ".Lname$n: .asciz \"${f##*/}\""
	echo ".Ldata$n: .incbin \"$f\""
	echo ".byte 0"
	n=$((n + 1))
done
echo '.section .data.rel.ro,"aw"'
echo '.balign 8'
echo '.globl embedded_files'
echo 'embedded_files:'
i=0
while [ $i -lt $n ]; do
	echo ".dc.a .Lname$i, .Ldata$i"
	i=$((i + 1))
done
echo '.dc.a 0, 0'
echo '.section .note.GNU-stack,"",%progbits'

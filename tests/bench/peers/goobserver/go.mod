module goobserver

go 1.22

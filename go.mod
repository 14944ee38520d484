module github.com/beamrd/beamrd

go 1.26

#!/bin/sh
# Install mpbench in an image with Debian 13: `install.sh FOLDER`.
# The folder has the wheel and constraints.txt, as `make wheel` leaves them in dist/.
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
apt-get install -q -y --no-install-recommends python3 python3-venv xz-utils
rm -rf /var/lib/apt/lists/*

python3 -m venv /opt/mpbench
/opt/mpbench/bin/pip install -q --no-cache-dir --disable-pip-version-check \
	-c "$folder/constraints.txt" "$folder"/mpbench-*.whl
# Otherwise every container would unpack it again.
find /opt/mpbench -name root.erofs.xz -exec xz -d {} +
ln -s /opt/mpbench/bin/mpbench /usr/local/bin/mpbench

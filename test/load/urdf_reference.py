#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""urdf_reference.py FILE...: reads URDF files on its own (xml.etree, 4x4 matrices) and prints what a loader must find.

For each file:
    file PATH
    body NAME MASS CX CY CZ XX YY ZZ XY XZ YZ    what is fixed together, in the frame of its link nearest to the root;
                                                 the first is the root's
    joint NAME TYPE LOWER UPPER                  that is not fixed; limits nan for none
    coordinate NAME VALUE                        of every revolute, continuous or prismatic joint: one random posture
    link NAME X Y Z R00 R01 R02 R10 ...          where every link is then
    end
"""
import math
import random
import sys
import xml.etree.ElementTree as ElementTree

MOVING = ("revolute", "continuous", "prismatic")


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transposed(a):
    return [list(row) for row in zip(*a)]


def numbers(text, default):
    return [float(word) for word in text.split()] if text is not None else default


def rotation(axis, angle):
    """Rodrigues' formula."""
    length = math.sqrt(sum(x * x for x in axis))
    x, y, z = (v / length for v in axis)
    c, s, t = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return [[t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c]]


def homogeneous(r, p):
    return [r[i] + [p[i]] for i in range(3)] + [[0, 0, 0, 1]]


IDENTITY = homogeneous([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])


def origin(element):
    node = element.find("origin")
    if node is None:
        return IDENTITY
    roll, pitch, yaw = numbers(node.get("rpy"), [0, 0, 0])
    r = multiply(rotation([0, 0, 1], yaw), multiply(rotation([0, 1, 0], pitch), rotation([1, 0, 0], roll)))
    return homogeneous(r, numbers(node.get("xyz"), [0, 0, 0]))


class Robot:
    def __init__(self, path, seed):
        root = ElementTree.parse(path).getroot()
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = {joint.get("name"): joint for joint in root.findall("joint")}
        self.above = {joint.find("child").get("link"): joint for joint in self.joints.values()}
        self.random = random.Random(seed)
        self.values = {}
        for name, joint in self.joints.items():
            self.value(name)

    def limits(self, joint):
        if joint.get("type") in ("continuous", "planar", "floating"):
            return math.nan, math.nan
        limit = joint.find("limit")
        return float(limit.get("lower", 0)), float(limit.get("upper", 0))

    def value(self, name):
        """A coordinate within the limits, or as a mimic says."""
        joint = self.joints.get(name)
        if joint is None or joint.get("type") not in MOVING:
            return 0.0
        if name not in self.values:
            mimic = joint.find("mimic")
            low, high = self.limits(joint)
            low, high = max(-2.5, low) if low == low else -2.5, min(2.5, high) if high == high else 2.5
            if mimic is not None:
                self.values[name] = (float(mimic.get("multiplier", 1)) * self.value(mimic.get("joint")) +
                                     float(mimic.get("offset", 0)))
            else:
                self.values[name] = self.random.uniform(low, high)
        return self.values[name]

    def step(self, joint, value):
        """From the child's frame to the parent's."""
        place = origin(joint)
        axis = joint.find("axis")
        axis = [1, 0, 0] if axis is None else numbers(axis.get("xyz"), [1, 0, 0])
        if joint.get("type") in ("revolute", "continuous"):
            return multiply(place, homogeneous(rotation(axis, value), [0, 0, 0]))
        if joint.get("type") == "prismatic":
            length = math.sqrt(sum(x * x for x in axis))
            return multiply(place, homogeneous(rotation([1, 0, 0], 0), [value * x / length for x in axis]))
        return place

    def place(self, link, stop=None, moved=True):
        """The link's frame in that of `stop` (the root's when None)."""
        frame = IDENTITY
        while link != stop and link in self.above:
            joint = self.above[link]
            frame = multiply(self.step(joint, self.value(joint.get("name")) if moved else 0.0), frame)
            link = joint.find("parent").get("link")
        return frame

    def top(self, link):
        while link in self.above and self.above[link].get("type") == "fixed":
            link = self.above[link].find("parent").get("link")
        return link

    def matter(self, link):
        """Mass, centre and tensor about the origin of the link's frame."""
        inertial = self.links[link].find("inertial")
        if inertial is None:
            return 0.0, [0.0] * 3, [[0.0] * 3 for _ in range(3)]
        mass = float(inertial.find("mass").get("value"))
        t = inertial.find("inertia")
        full = [[float(t.get("i" + "".join(sorted(a + b)))) for b in "xyz"] for a in "xyz"]
        return self.moved(mass, [0.0] * 3, full, origin(inertial))

    @staticmethod
    def moved(mass, centre, about_origin, frame):
        """The same seen from outside, by way of the tensor about the centre."""
        r, p = [row[:3] for row in frame[:3]], [row[3] for row in frame[:3]]
        square = sum(x * x for x in centre)
        about_centre = [[about_origin[i][j] - mass * ((square if i == j else 0) - centre[i] * centre[j])
                         for j in range(3)] for i in range(3)]
        turned = multiply(r, multiply(about_centre, transposed(r)))
        c = [sum(r[i][k] * centre[k] for k in range(3)) + p[i] for i in range(3)]
        square = sum(x * x for x in c)
        return mass, c, [[turned[i][j] + mass * ((square if i == j else 0) - c[i] * c[j]) for j in range(3)]
                         for i in range(3)]

    def bodies(self):
        sums = {}
        for link in self.links:
            top = self.top(link)
            mass, centre, tensor = self.moved(*self.matter(link), self.place(link, top, False))
            total = sums.setdefault(top, [0.0, [0.0] * 3, [[0.0] * 3 for _ in range(3)]])
            total[0] += mass
            for i in range(3):
                total[1][i] += mass * centre[i]
                for j in range(3):
                    total[2][i][j] += tensor[i][j]
        root = next(link for link in self.links if link not in self.above)
        for top in [root] + [name for name in sums if name != root]:
            mass, first, tensor = sums[top]
            c = [x / mass if mass else 0.0 for x in first]
            square = sum(x * x for x in c)
            about = [[tensor[i][j] - mass * ((square if i == j else 0) - c[i] * c[j]) for j in range(3)]
                     for i in range(3)]
            yield top, mass, c, [about[0][0], about[1][1], about[2][2], about[0][1], about[0][2], about[1][2]]


def show(*values):
    print(*(v.replace(" ", "_") if isinstance(v, str) else repr(float(v)) for v in values))


def main():
    for seed, path in enumerate(sys.argv[1:]):
        robot = Robot(path, seed)
        print("file", path)
        for name, mass, centre, inertia in robot.bodies():
            show("body", name, mass, *centre, *inertia)
        for name, joint in robot.joints.items():
            if joint.get("type") != "fixed":
                show("joint", name, joint.get("type"), *robot.limits(joint))
        for name, value in robot.values.items():
            show("coordinate", name, value)
        for link in robot.links:
            frame = robot.place(link)
            show("link", link, *(frame[i][3] for i in range(3)), *(frame[i][j] for i in range(3) for j in range(3)))
        print("end")


main()
